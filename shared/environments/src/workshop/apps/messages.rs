//! Messages: conversations between a few people.

use std::collections::BTreeMap;

use palaestra_domain::tool::Effect;
use serde::Serialize;
use serde_json::json;

use crate::workshop::page::{PAGE, PAGE_SIZE, mentions, page};
use crate::workshop::tool::{Kind, Param, Tool};

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Message {
    pub(crate) from: String,
    pub(crate) text: String,
    pub(crate) date: String,
}

/// One conversation; its messages stand in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Conversation {
    pub(crate) title: String,
    pub(crate) members: Vec<String>,
    pub(crate) messages: Vec<Message>,
}

/// All conversations by id.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Messages {
    pub(crate) conversations: BTreeMap<String, Conversation>,
}

const CONVERSATION_ID: Param =
    Param::required("conversation_id", Kind::Text, "The conversation's id, as a listing gives it.");

/// The functions of this app.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        app: "messages",
        function: "find_conversations",
        about: "Lists the conversations that mention a text in title or members, by title; all without a text.",
        effect: Effect::Read,
        params: &[Param::text_or_empty("query", "The text to look for."), PAGE, PAGE_SIZE],
        run: |world, args| {
            let query = args.text("query");
            let mut found: Vec<(&String, &Conversation)> = world
                .messages
                .conversations
                .iter()
                .filter(|(_, c)| {
                    mentions(
                        query,
                        std::iter::once(c.title.as_str()).chain(c.members.iter().map(String::as_str)),
                    )
                })
                .collect();
            found.sort_by(|(a_id, a), (b_id, b)| a.title.cmp(&b.title).then_with(|| a_id.cmp(b_id)));
            let items =
                found.into_iter().map(|(id, c)| json!({ "id": id, "title": c.title, "members": c.members }));
            Ok(page(items.collect(), args))
        },
    },
    Tool {
        app: "messages",
        function: "read_messages",
        about: "Shows the messages of one conversation, newest first.",
        effect: Effect::Read,
        params: &[CONVERSATION_ID, PAGE, PAGE_SIZE],
        run: |world, args| {
            let id = args.text("conversation_id");
            let conversation = world.messages.conversations.get(id).ok_or_else(|| no_conversation(id))?;
            let items = conversation.messages.iter().rev();
            Ok(page(items.map(|m| json!({ "from": m.from, "text": m.text, "date": m.date })).collect(), args))
        },
    },
    Tool {
        app: "messages",
        function: "send_message",
        about: "Writes into a conversation; all its members see it.",
        effect: Effect::Write,
        params: &[CONVERSATION_ID, Param::required("text", Kind::Text, "What to say.")],
        run: |world, args| {
            let id = args.text("conversation_id");
            let message = Message {
                from: world.owner.clone(),
                text: args.text("text").to_owned(),
                date: world.now.clone(),
            };
            let conversation = world.messages.conversations.get_mut(id).ok_or_else(|| no_conversation(id))?;
            conversation.messages.push(message);
            Ok(json!({ "conversation_id": id, "messages": conversation.messages.len() }))
        },
    },
];

fn no_conversation(id: &str) -> String {
    format!("there is no conversation with the id {id}: take ids from a listing")
}
