//! Whether a shell command changes files: a small table, not a shell.
//!
//! A command writes when a word in command position is one of [`WRITERS`], when a program of
//! [`WITH_OPTION`] carries the option that makes it write, or when its output goes to a file
//! (`>`, `>>`; not to `/dev/null` or another descriptor). Command position is the start of a
//! command, also behind `;`, `|`, `&`, a bracket, a keyword, `sudo`, `xargs`, `-exec` and the like;
//! quoted text counts only behind `-c`. Everything else reads.

use palaestra_domain::tool::Effect;

/// Programs that change files whatever their options.
const WRITERS: [&str; 32] = [
    "rm", "rmdir", "mv", "cp", "mkdir", "touch", "ln", "link", "unlink", "chmod", "chown", "chgrp", "tee",
    "dd", "truncate", "install", "rsync", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zip", "unzip",
    "split", "patch", "shred", "mkfifo", "mknod", "mktemp", "rename",
];

/// Programs that change files only with an option that starts like this.
const WITH_OPTION: [(&str, &[&str]); 5] = [
    ("sed", &["-i", "--in-place"]),
    ("perl", &["-i", "-pi"]),
    ("find", &["-delete", "-fprint", "-fls"]),
    ("sort", &["-o", "--output"]),
    ("git", &["clone", "init", "add", "commit", "checkout", "apply"]),
];

/// Words behind which the next word is a command again.
const LEADERS: [&str; 20] = [
    "sudo", "xargs", "env", "time", "nohup", "nice", "exec", "command", "then", "do", "else", "!", "{", "{}",
    "-exec", "-execdir", "-ok", "bash", "sh", "eval",
];

/// What a command does to the world.
pub(super) fn effect(command: &str) -> Effect {
    if writes(command) { Effect::Write } else { Effect::Read }
}

fn writes(command: &str) -> bool {
    let mut at_command = true;
    let mut program = String::new();
    let mut words = Words { rest: command };
    while let Some(word) = words.next() {
        match word {
            Word::Separator => at_command = true,
            Word::Redirect { to_file: true } => return true,
            Word::Redirect { to_file: false } => {}
            Word::Quoted(text) if program == "-c" || program == "eval" => {
                if writes(text) {
                    return true;
                }
            }
            Word::Quoted(_) => at_command = false,
            Word::Plain(text) if at_command => {
                let name = text.rsplit('/').next().unwrap_or(text);
                if WRITERS.contains(&name) {
                    return true;
                }
                program = name.to_owned();
                // Assignments, options of a leader and leaders themselves let a command follow.
                at_command = LEADERS.contains(&name) || text.contains('=') || text.starts_with('-');
            }
            Word::Plain(text) => {
                if program == "tar" && tar_writes(text) {
                    return true;
                }
                let marks = WITH_OPTION.iter().filter(|(name, _)| *name == program);
                if marks.flat_map(|(_, options)| *options).any(|option| text.starts_with(option)) {
                    return true;
                }
                at_command = LEADERS.contains(&text);
            }
        }
    }
    false
}

/// Whether a word is tar's mode and lets it extract or create: `xzf`, `-czf`, `--extract`.
fn tar_writes(word: &str) -> bool {
    let long = ["--extract", "--get", "--create", "--append", "--update", "--concatenate"];
    let mode = word.strip_prefix('-').unwrap_or(word);
    let letters = !mode.is_empty() && mode.len() <= 8 && mode.bytes().all(|byte| byte.is_ascii_alphabetic());
    long.contains(&word) || (letters && !mode.contains('t') && mode.contains(['x', 'c', 'r', 'u', 'A']))
}

enum Word<'a> {
    Plain(&'a str),
    Quoted(&'a str),
    Separator,
    Redirect { to_file: bool },
}

struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<Word<'a>> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let first = self.rest.chars().next()?;
        match first {
            '\n' | ';' | '|' | '&' | '(' | ')' | '`' => {
                self.skip(1);
                Some(Word::Separator)
            }
            '$' if self.rest.starts_with("$(") => {
                self.skip(2);
                Some(Word::Separator)
            }
            '>' => Some(self.redirect()),
            '\'' | '"' => Some(self.quoted(first)),
            _ => Some(self.plain()),
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn redirect(&mut self) -> Word<'a> {
        self.rest = self.rest.trim_start_matches('>').trim_start_matches([' ', '\t']);
        let to_file =
            !self.rest.starts_with('&') && !self.rest.starts_with("/dev/") && !self.rest.starts_with('(');
        if self.rest.starts_with('&') {
            self.skip(1);
        }
        Word::Redirect { to_file }
    }

    fn quoted(&mut self, quote: char) -> Word<'a> {
        self.skip(1);
        let mut escaped = false;
        let end = self.rest.char_indices().find_map(|(at, c)| {
            let closes = c == quote && !escaped;
            escaped = quote == '"' && c == '\\' && !escaped;
            closes.then_some(at)
        });
        let text = self.rest.get(..end.unwrap_or(self.rest.len())).unwrap_or_default();
        self.skip(text.len() + 1);
        Word::Quoted(text)
    }

    fn plain(&mut self) -> Word<'a> {
        let mut escaped = false;
        let end = self.rest.char_indices().find_map(|(at, c)| {
            let ends = !escaped && (c.is_whitespace() || ";|&()`>'\"".contains(c));
            escaped = c == '\\' && !escaped;
            ends.then_some(at)
        });
        let text = self.rest.get(..end.unwrap_or(self.rest.len())).unwrap_or_default();
        self.skip(text.len());
        Word::Plain(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_change_files_write() {
        for command in [
            "rm -rf /testbed/dir1",
            "find . -name '*.java' -exec rm {} \\;",
            "find . -type f -delete",
            "find . -name x | xargs -0 rm",
            "echo hello > file.txt",
            "ls >> out",
            "sed -i 's/a/b/' f",
            "tar -czf a.tgz dir",
            "tar xzf a.tgz",
            "tar -zxvf a.tgz",
            "ls | xargs -I {} cp {} /tmp",
            "cd /tmp && mkdir -p a/b",
            "for f in *.gz; do gunzip \"$f\"; done",
            "sudo /bin/chmod 700 x",
            "X=1 touch a",
            "bash -c 'rm x'",
            "x=$(mv a b)",
        ] {
            assert_eq!(effect(command), Effect::Write, "{command}");
        }
    }

    #[test]
    fn commands_that_look_read() {
        for command in [
            "",
            "ls -l /workspace",
            "find . -name '*.txt' 2>/dev/null",
            "grep -r \"rm -rf\" .",
            "tar -tf a.tar",
            "tar tzvf archive.tar.gz",
            "echo 'a > b'",
            "sort file | uniq -c",
            "cat a 2>&1 | head",
            "sed 's/rm/x/' f",
            "diff <(ls a) <(ls b)",
            "awk '{print $1 > 2}' f",
            "find . -name cp",
        ] {
            assert_eq!(effect(command), Effect::Read, "{command}");
        }
    }
}
