//! The templates, grouped by ability.

mod ambiguity_mail;
mod ambiguity_office;
mod catalogue;
mod execution_mail;
mod execution_office;
mod plan;
mod search_aggregate;
mod search_lookup;

pub(crate) use catalogue::TEMPLATES;
