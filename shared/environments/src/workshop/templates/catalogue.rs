//! All templates, ability by ability; the order is the curriculum's.

use super::{
    ambiguity_mail, ambiguity_office, execution_mail, execution_office, search_aggregate, search_lookup,
};
use crate::workshop::template::Template;

/// All templates, ability by ability.
pub(crate) const TEMPLATES: [&[Template]; 6] = [
    execution_mail::TEMPLATES,
    execution_office::TEMPLATES,
    search_lookup::TEMPLATES,
    search_aggregate::TEMPLATES,
    ambiguity_mail::TEMPLATES,
    ambiguity_office::TEMPLATES,
];
