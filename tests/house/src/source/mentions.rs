//! Collects the paths and macros that a file's shipped code names.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Item, ItemMod, ItemUse, Macro, Path, UseTree};

use super::facts::{Mention, attributes, is_test};

/// A visitor that gathers mentions; imports are resolved at the end, wherever they stand.
pub(super) struct Mentions {
    module: Vec<String>,
    imports: BTreeMap<String, String>,
    imported: Vec<Mention>,
    paths: Vec<Mention>,
    macros: Vec<Mention>,
}

impl Mentions {
    pub(super) fn new(module: &[String]) -> Self {
        Self {
            module: module.to_vec(),
            imports: BTreeMap::new(),
            imported: Vec::new(),
            paths: Vec::new(),
            macros: Vec::new(),
        }
    }

    /// The paths, then the macros.
    pub(super) fn finish(self) -> (Vec<Mention>, Vec<Mention>) {
        let resolved = self.paths.into_iter().map(|mention| {
            let (first, rest) = mention.name.split_once("::").unwrap_or((&mention.name, ""));
            match self.imports.get(first) {
                Some(full) if rest.is_empty() => Mention { line: mention.line, name: full.clone() },
                Some(full) => Mention { line: mention.line, name: format!("{full}::{rest}") },
                None => mention,
            }
        });
        (self.imported.into_iter().chain(resolved).collect(), self.macros)
    }

    /// A path from the crate's root, where it is written from `self` or `super`.
    fn absolute(&self, segments: &[String]) -> String {
        let ups = segments.iter().take_while(|segment| *segment == "super").count();
        let relative = ups > 0 || segments.first().is_some_and(|segment| segment == "self");
        if !relative {
            return segments.join("::");
        }
        let base = self.module.iter().take(self.module.len().saturating_sub(ups)).map(String::as_str);
        let rest =
            segments.iter().map(String::as_str).skip_while(|segment| matches!(*segment, "super" | "self"));
        std::iter::once("crate").chain(base).chain(rest).collect::<Vec<_>>().join("::")
    }

    fn import(&mut self, line: usize, prefix: &[String], tree: &UseTree) {
        let with = |segment: String| [prefix, &[segment]].concat();
        match tree {
            UseTree::Path(path) => self.import(line, &with(path.ident.to_string()), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(line, prefix, tree)),
            UseTree::Name(name) if name.ident == "self" => {
                self.imports_as(line, prefix, prefix.last().cloned())
            }
            UseTree::Name(name) => {
                self.imports_as(line, &with(name.ident.to_string()), Some(name.ident.to_string()));
            }
            UseTree::Rename(rename) if rename.ident == "self" => {
                self.imports_as(line, prefix, Some(rename.rename.to_string()));
            }
            UseTree::Rename(rename) => {
                self.imports_as(line, &with(rename.ident.to_string()), Some(rename.rename.to_string()));
            }
            UseTree::Glob(_) => self.imports_as(line, prefix, None),
        }
    }

    fn imports_as(&mut self, line: usize, segments: &[String], local: Option<String>) {
        let name = self.absolute(segments);
        if let Some(local) = local {
            self.imports.insert(local, name.clone());
        }
        self.imported.push(Mention { line, name });
    }

    /// Paths and macros among the tokens of a macro call, which have no syntax tree.
    fn scan(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.end_path(line, &mut path);
                        line = ident.span().start().line;
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => colons += 1,
                TokenTree::Punct(punct) if punct.as_char() == '!' && !path.is_empty() => {
                    self.macros.extend(path.last().map(|name| Mention { line, name: name.clone() }));
                    path.clear();
                }
                TokenTree::Group(group) => {
                    self.end_path(line, &mut path);
                    self.scan(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => self.end_path(line, &mut path),
            }
        }
        self.end_path(line, &mut path);
    }

    fn end_path(&mut self, line: usize, path: &mut Vec<String>) {
        if path.len() > 1 {
            let name = self.absolute(path);
            self.paths.push(Mention { line, name });
        }
        path.clear();
    }
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(item.span().start().line, &[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let name = self.absolute(&segments);
        self.paths.push(Mention { line: path.span().start().line, name });
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string());
        self.macros.extend(name.map(|name| Mention { line: call.span().start().line, name }));
        self.scan(call.tokens.clone());
    }

    // Attributes and documentation name things without using them.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}
