//! The code idiom of an AppWorld Function Card (appendix B.7), checked on its syntax tree.
//!
//! A few lines of Python with exactly one call `apis.<app>.<api>(...)`, which is the card's own; no
//! other use of `apis`, no imports, no definitions, no literal that the card's text does not name,
//! generic names only. The idiom is never run here.

use palaestra_domain::profile::CardLimits;
use palaestra_domain::{FunctionCard, Rejection, RejectionReason};
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_stmt};
use ruff_python_ast::{ExceptHandler, Expr, ExprCall, Stmt};

use super::generic_names::is_generic;

/// Longest line in characters. It bounds the depth of the tree, which is walked recursively.
const LINE_CHARS: usize = 160;

/// Every problem of a card's code idiom.
pub(super) fn check(card: &FunctionCard, limits: &CardLimits) -> Vec<Rejection> {
    let Some(source) = &card.code_idiom else { return Vec::new() };
    let mut checker = Checker { card, source, calls: 0, found: Vec::new() };
    let lines = source.trim_end().lines().count();
    if source.trim().is_empty() {
        checker.refuse("is empty: send null instead");
    } else if lines > limits.code_idiom_lines {
        checker.refuse(format!("has {lines} lines, at most {} are allowed", limits.code_idiom_lines));
    } else if source.lines().any(|line| line.chars().count() > LINE_CHARS) {
        checker.refuse(format!("has a line of more than {LINE_CHARS} characters"));
    } else {
        checker.tree();
    }
    checker.found
}

struct Checker<'a> {
    card: &'a FunctionCard,
    source: &'a str,
    calls: usize,
    found: Vec<Rejection>,
}

impl Checker<'_> {
    fn refuse(&mut self, detail: impl Into<String>) {
        let rejection = Rejection::new(RejectionReason::CodeIdiom, "code_idiom", detail);
        if !self.found.contains(&rejection) {
            self.found.push(rejection);
        }
    }

    fn tree(&mut self) {
        let parsed = match ruff_python_parser::parse_module(self.source) {
            Ok(parsed) => parsed,
            Err(error) => return self.refuse(format!("is not Python: {}", error.error)),
        };
        let joined = parsed.tokens().iter().any(|token| token.kind() == TokenKind::Semi);
        if joined {
            self.refuse("joins statements with semicolons: write one statement a line");
        }
        for statement in parsed.suite() {
            self.visit_stmt(statement);
        }
        if self.calls != 1 {
            let own = format!("apis.{}.{}", self.card.app, self.card.function);
            self.refuse(format!("calls {} functions of `apis`, exactly one is allowed: {own}", self.calls));
        }
    }

    /// The call `apis.<app>.<api>`, if this is one.
    fn api_call(call: &ExprCall) -> Option<(&str, &str)> {
        let Expr::Attribute(api) = call.func.as_ref() else { return None };
        let Expr::Attribute(app) = api.value.as_ref() else { return None };
        match app.value.as_ref() {
            Expr::Name(root) if root.id.as_str() == "apis" => Some((app.attr.as_str(), api.attr.as_str())),
            _ => None,
        }
    }

    /// Whether the card's own text names a literal as a word.
    fn named_in_text(&self, literal: &str) -> bool {
        let continues = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !literal.is_empty()
            && self.card.texts().iter().filter(|(field, _)| *field != "code_idiom").any(|(_, text)| {
                text.match_indices(literal).any(|(at, _)| {
                    let before = text.get(..at).and_then(|t| t.chars().next_back());
                    let after = text.get(at + literal.len()..).and_then(|t| t.chars().next());
                    !continues(before) && !continues(after)
                })
            })
    }

    fn literal(&mut self, text: &str) {
        if !self.named_in_text(text) {
            let detail = "is neither an enum value nor a bound that the card's text names";
            self.refuse(format!("the literal {text:?} {detail}"));
        }
    }

    fn name(&mut self, name: &str) {
        let own_argument = self.card.arguments.iter().any(|argument| argument.name == name);
        if name == "apis" {
            self.refuse("uses `apis` other than in a direct call of the card's function");
        } else if !own_argument && !is_generic(name) {
            self.refuse(format!("{name:?} is not a generic name: take one like item, items, page, result"));
        }
    }
}

impl<'a> Visitor<'a> for Checker<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(_)
            | Stmt::AugAssign(_)
            | Stmt::For(_)
            | Stmt::While(_)
            | Stmt::If(_)
            | Stmt::Try(_)
            | Stmt::Expr(_)
            | Stmt::Pass(_)
            | Stmt::Break(_)
            | Stmt::Continue(_) => walk_stmt(self, statement),
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.refuse("imports a module"),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => self.refuse("defines a function or class"),
            _ => self.refuse("has a statement other than assignments, calls, loops, conditions and try"),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => {
                let Some((app, api)) = Self::api_call(call) else { return walk_expr(self, expression) };
                self.calls += 1;
                if (app, api) != (self.card.app.as_str(), self.card.function.as_str()) {
                    self.refuse(format!("calls apis.{app}.{api}, which is not this card's function"));
                }
                self.visit_arguments(&call.arguments);
            }
            Expr::Name(name) => self.name(name.id.as_str()),
            Expr::Attribute(attribute) => {
                if attribute.attr.as_str().starts_with('_') {
                    self.refuse("reaches a private attribute");
                }
                walk_expr(self, expression);
            }
            Expr::StringLiteral(literal) => self.literal(literal.value.to_str()),
            Expr::NumberLiteral(literal) => {
                let text = self.source.get(literal.range.start().to_usize()..literal.range.end().to_usize());
                self.literal(text.unwrap_or_default());
            }
            Expr::FString(_) | Expr::TString(_) | Expr::BytesLiteral(_) => {
                self.refuse("has a formatted or byte string: pass variables instead");
            }
            Expr::Lambda(_) => self.refuse("defines a lambda"),
            Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_) | Expr::IpyEscapeCommand(_) => {
                self.refuse("has an expression that does not belong in one plain cell");
            }
            _ => walk_expr(self, expression),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.name(name.as_str());
        }
        walk_except_handler(self, handler);
    }
}
