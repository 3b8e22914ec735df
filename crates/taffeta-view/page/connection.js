// The socket to the program: commands go out, frames and states come in. The layout of frames is that of snapshot.rs.

const text = new TextDecoder();

/** The frame in a message. Arrays are views of the message and not copies. */
export function decodeFrame(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const frame = JSON.parse(text.decode(new Uint8Array(buffer, 4, length)));
  let offset = 4 + length;
  for (const body of frame.bodies) {
    for (const [name, count] of body.arrays) {
      const isIndex = name === "faces" || name === "held" || name === "panels";
      body[name] = isIndex ? new Uint32Array(buffer, offset, count) : new Float32Array(buffer, offset, count);
      offset += 4 * count;
    }
  }
  return frame;
}

/** Connects, and again whenever the connection breaks. `handlers`: frame, status, edges, seam, refused (command, reason), connected. */
export function connect(handlers) {
  let socket = null;

  function open() {
    // The address of the page has the token.
    socket = new WebSocket(`ws://${location.host}/socket${location.search}`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => handlers.connected(true);
    socket.onclose = () => {
      handlers.connected(false);
      setTimeout(open, 1000);
    };
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) {
        handlers.frame(decodeFrame(data), data.byteLength);
        return;
      }
      const message = JSON.parse(data);
      // A message has one part, which its handler takes.
      for (const name of ["status", "refused", "edges", "seam"]) if (message[name]) handlers[name](message[name]);
    };
  }

  open();
  return {
    /** Sends a command; see command.rs. Without a connection it is lost. */
    send(command) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(command));
    },
  };
}
