//! What one file says, read from its syntax tree. Items that only tests see are left out.

use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Item, Meta, Token, punctuated::Punctuated};

use super::mentions::Mentions;

/// Something that a file names, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The line, from 1.
    pub line: usize,
    /// The name or path, imports resolved, for example `std::time::Instant::now`.
    pub name: String,
}

/// An item at the top level of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopLevel {
    /// `mod name;`: another file.
    File {
        /// The module's name.
        name: String,
        /// Whether only tests see it.
        test: bool,
    },
    /// `use ...;` or a constant.
    Declaration,
    /// Anything with a body: a function, a type, an implementation, an inline module.
    Body {
        /// The line, from 1.
        line: usize,
        /// Whether only tests see it.
        test: bool,
    },
}

/// Everything that the rules want to know of one file.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The items at the top level.
    pub items: Vec<TopLevel>,
    /// Paths in code that ships, imports and expressions alike.
    pub paths: Vec<Mention>,
    /// Macros that are called in code that ships.
    pub macros: Vec<Mention>,
}

/// Reads a file whose module path within its crate is `module`.
///
/// # Errors
/// When the text is not Rust.
pub fn facts(text: &str, module: &[String]) -> syn::Result<Facts> {
    let file = syn::parse_file(text)?;
    let mut mentions = Mentions::new(module);
    mentions.visit_file(&file);
    let (paths, macros) = mentions.finish();
    Ok(Facts { items: file.items.iter().map(top_level).collect(), paths, macros })
}

fn top_level(item: &Item) -> TopLevel {
    let test = is_test(attributes(item));
    match item {
        Item::Mod(module) if module.content.is_none() => {
            TopLevel::File { name: module.ident.to_string(), test }
        }
        Item::Use(_) | Item::ExternCrate(_) | Item::Const(_) => TopLevel::Declaration,
        other => TopLevel::Body { line: other.span().start().line, test },
    }
}

/// Whether a `cfg` leaves the item out of what ships: `test` itself, alone or among alternatives.
pub(super) fn is_test(attributes: &[Attribute]) -> bool {
    let cfgs = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    cfgs.filter_map(|cfg| cfg.parse_args::<Meta>().ok()).any(|predicate| names_test(&predicate))
}

fn names_test(predicate: &Meta) -> bool {
    match predicate {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if !list.path.is_ident("not") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|inner| inner.iter().any(names_test)),
        _ => false,
    }
}

/// The attributes of an item of any kind.
pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Facts {
        facts(text, &["a".to_owned(), "b".to_owned()]).unwrap()
    }

    fn names(mentions: &[Mention]) -> Vec<&str> {
        mentions.iter().map(|mention| mention.name.as_str()).collect()
    }

    #[test]
    fn paths_are_resolved_through_imports_and_inside_macros() {
        let facts = read(
            "use std::{fs, time::{Duration, Instant as Now}};\n\
             fn f() { Now::now(); fs::read(\"x\"); println!(\"{}\", crate::z::Y); }\n\
             fn g() { super::c::h(); self::d::i(); dbg!(std::env::var(\"V\")); }",
        );
        let paths = names(&facts.paths);
        for path in ["std::fs", "std::time::Instant::now", "std::fs::read", "crate::z::Y", "crate::a::c::h"] {
            assert!(paths.contains(&path), "{path} in {paths:?}");
        }
        assert!(paths.contains(&"crate::a::b::d::i") && paths.contains(&"std::env::var"), "{paths:?}");
        assert_eq!(names(&facts.macros), ["println", "dbg"]);
        assert_eq!(facts.macros[0].line, 2);
    }

    #[test]
    fn what_only_tests_see_is_left_out() {
        let facts = read(
            "#[cfg(test)] mod tests { fn f() { std::fs::read(\"x\"); println!(); } }\n\
             #[cfg(any(test, feature = \"conformance\"))] fn g() { std::env::var(\"V\"); }\n\
             #[cfg(not(test))] fn h() { std::process::exit(1); }\n\
             #[cfg(test)] mod fixtures;\nmod other;\nconst N: u8 = 1;",
        );
        assert_eq!(names(&facts.paths), ["std::process::exit", "u8"]);
        assert_eq!(names(&facts.macros), [""; 0]);
        let file = |name: &str, test| TopLevel::File { name: name.to_owned(), test };
        assert_eq!(facts.items[3..], [file("fixtures", true), file("other", false), TopLevel::Declaration]);
        assert_eq!(facts.items[2], TopLevel::Body { line: 3, test: false });
    }

    #[test]
    fn names_in_comments_and_texts_do_not_count() {
        let facts =
            read("//! See std::fs::read.\n/// std::env::var\nfn f() -> &'static str { \"std::net::X\" }");
        assert_eq!(names(&facts.paths), ["str"]);
    }
}
