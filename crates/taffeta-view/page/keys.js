// Keys of the page. They act after a click on a button, a slider or a list, too; what is reached by Tab has its own keys first.

/** Calls the action of a key: a function of whether the key is held down. */
export function listenToKeys(actions) {
  let isTabbing = false;
  window.addEventListener("pointerdown", () => (isTabbing = false), { capture: true });
  window.addEventListener("keydown", (event) => {
    if (event.key === "Tab") isTabbing = true;
    const action = actions[event.key];
    const control = event.target.closest?.("button, input, select");
    // A text has its own keys.
    if (event.target.matches?.("textarea") && event.key !== "Escape") return;
    if (!action || event.ctrlKey || event.altKey || event.metaKey || (control && isTabbing)) return;
    // So that the control gets neither the key nor its end, with which space presses a button.
    control?.blur();
    event.preventDefault();
    action(event.repeat);
  });
}
