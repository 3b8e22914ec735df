//! A value of a document as serde reads it.

use super::notes::{Misfit, Notes};
use crate::document::value::{Entry, Kind, Value};
use crate::keys::ARRAY_OF_TABLES;
use crate::words::join_key;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

/// A value at a key path.
#[derive(Clone)]
pub(super) struct Node<'r, 'a> {
    pub notes: &'r Notes<'a>,
    pub value: &'a Value,
    pub key: String,
}

impl<'r, 'a> Node<'r, 'a> {
    fn child(&self, segment: &str, value: &'a Value) -> Self {
        Node { notes: self.notes, value, key: join_key(&self.key, segment) }
    }

    fn items(self, items: &'a [Value]) -> Items<'r, 'a> {
        Items { node: self, items, next: 0 }
    }

    fn entries(self, entries: &'a [Entry]) -> Entries<'r, 'a> {
        Entries { node: self, entries, next: 0, value: None }
    }
}

impl<'de, 'a> Deserializer<'de> for Node<'_, 'a> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match &self.value.kind {
            Kind::String(text) => visitor.visit_str(text),
            Kind::Integer(number) => visitor.visit_i64(*number),
            Kind::Float(number) => visitor.visit_f64(*number),
            Kind::Boolean(value) => visitor.visit_bool(*value),
            Kind::Array(items) => visitor.visit_seq(self.items(items)),
            Kind::Table(entries) => visitor.visit_map(self.entries(entries)),
            // What no key takes: a visitor that wants to say what it is gets its description.
            Kind::Other(..) => visitor.visit_bytes(self.value.describe().as_bytes()),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value.kind {
            Kind::Boolean(value) => visitor.visit_bool(value),
            _ => Err(Misfit::Type("true or false".to_owned())),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value.kind {
            Kind::Integer(value) => visitor.visit_i64(value),
            _ => Err(Misfit::Type("a whole number".to_owned())),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value.kind {
            Kind::Integer(value) => visitor.visit_f64(value as f64),
            Kind::Float(value) => visitor.visit_f64(value),
            _ => Err(Misfit::Type("a number".to_owned())),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match &self.value.kind {
            Kind::String(text) => visitor.visit_str(text),
            _ => Err(Misfit::Type("a string".to_owned())),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match &self.value.kind {
            Kind::Array(items) => visitor.visit_seq(self.items(items)),
            _ => Err(Misfit::Type("an array".to_owned())),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match &self.value.kind {
            Kind::Table(entries) => visitor.visit_map(self.entries(entries)),
            _ => Err(Misfit::Type("a table of tables".to_owned())),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.value.kind {
            Kind::Array(_) => visitor.visit_newtype_struct(self),
            _ if name == ARRAY_OF_TABLES => Err(Misfit::Type(name.to_owned())),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let Kind::Table(entries) = &self.value.kind else {
            return Err(Misfit::Type(format!("a table with the keys {}", fields.join(", "))));
        };
        visitor.visit_map(self.entries(entries)).map_err(|misfit| match misfit {
            Misfit::Missing { table: None, field } => Misfit::Missing { table: Some(name), field },
            other => other,
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_some(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 char str bytes byte_buf unit unit_struct tuple tuple_struct enum
        identifier
    }
}

/// The elements of an array. Tables that are left out are skipped.
struct Items<'r, 'a> {
    node: Node<'r, 'a>,
    items: &'a [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for Items<'_, '_> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Misfit> {
        while let Some(value) = self.items.get(self.next) {
            let node = self.node.child(&self.next.to_string(), value);
            self.next += 1;
            if self.node.notes.is_left_out(&node.key) {
                continue;
            }
            return seed.deserialize(node.clone()).map(Some).map_err(|misfit| {
                if matches!(misfit, Misfit::LeftOut) {
                    return misfit;
                }
                let is_table = value.is_table() && !matches!(misfit, Misfit::Type(_));
                node.notes.note(node.value, &node.key, misfit);
                // An array of tables does without one of them; any other array is left out as a whole.
                if is_table {
                    node.notes.leave_out(node.key);
                    return Misfit::LeftOut;
                }
                Misfit::Noted
            });
        }
        Ok(None)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len() - self.next)
    }
}

/// The entries of a table. Those that are left out are skipped.
struct Entries<'r, 'a> {
    node: Node<'r, 'a>,
    entries: &'a [Entry],
    next: usize,
    /// The value of the last key.
    value: Option<Node<'r, 'a>>,
}

impl<'de> MapAccess<'de> for Entries<'_, '_> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Misfit> {
        while let Some(entry) = self.entries.get(self.next) {
            self.next += 1;
            let child = self.node.child(&entry.key, &entry.value);
            if self.node.notes.is_left_out(&child.key) {
                continue;
            }
            self.value = Some(child);
            let key: StrDeserializer<'_, Misfit> = entry.key.as_str().into_deserializer();
            return seed.deserialize(key).map(Some).map_err(|misfit| match misfit {
                Misfit::Unknown { known } => {
                    self.node.notes.record_unknown(&self.node.key, entry, known);
                    Misfit::LeftOut
                }
                other => other,
            });
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misfit> {
        let node = self.value.take().expect("a value follows its key");
        seed.deserialize(node.clone()).map_err(|misfit| {
            if !matches!(misfit, Misfit::LeftOut) {
                node.notes.note(node.value, &node.key, misfit);
                node.notes.leave_out(node.key);
            }
            Misfit::LeftOut
        })
    }
}
