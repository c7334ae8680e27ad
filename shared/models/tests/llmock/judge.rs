//! One running judge: told what to do wrong, asked for its verdict.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use palaestra_models::ModelSettings;
use palaestra_models::settings::{RetrySettings, Timeouts};
use serde_json::{Value, json};

use crate::install::installed;

/// How long the judge may take to start on a busy machine, in tenths of a second.
const PATIENCE: u32 = 600;

/// The protocols of ours that the judge speaks, each with its path.
pub(crate) const PROTOCOLS: [(&str, &str); 2] = [("openai", "/v1"), ("anthropic", "/anthropic/v1")];

pub(crate) struct Judge {
    /// The process; none of a judge that somebody else started.
    child: Option<Child>,
    url: String,
    http: reqwest::Client,
}

impl Judge {
    /// A judge with settings of its own; none where it is not installed.
    pub(crate) async fn start(settings: &[&str]) -> Option<Self> {
        let program = installed()?;
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
        let child = Command::new(program)
            .args(["serve", "--host", "127.0.0.1", "--port", &port, "--log-level", "error"])
            .args(settings)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut judge = Self::at(format!("http://127.0.0.1:{port}"));
        judge.child = Some(child);
        for _ in 0..PATIENCE {
            if judge.http.get(format!("{}/health", judge.url)).send().await.is_ok() {
                return Some(judge);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("llmock does not start");
    }

    /// A judge that runs already.
    pub(crate) fn at(url: String) -> Self {
        // An error only says that a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
        Self { child: None, url, http }
    }

    /// Settings of a model behind the judge, with pauses of a few milliseconds.
    pub(crate) fn settings(&self, (protocol, path): (&str, &str)) -> ModelSettings {
        ModelSettings {
            base_url: Some(format!("{}{path}", self.url)),
            retry: RetrySettings { first_delay_ms: 2, max_delay_ms: 8, ..RetrySettings::default() },
            timeouts: Timeouts { connect_ms: 10_000, total_ms: 30_000 },
            ..ModelSettings::new(protocol, "gpt-4o")
        }
    }

    /// Queues one thing to do wrong (or right) with the next requests.
    pub(crate) async fn will(&self, behaviour: Value) {
        let sent = self.http.post(format!("{}/_llmock/scenario", self.url));
        let answer = sent.json(&json!({ "behaviors": [behaviour] })).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 201, "{}", answer.text().await.unwrap());
    }

    /// What is still queued.
    pub(crate) async fn pending(&self) -> usize {
        self.get("scenario").await["pending"].as_array().unwrap().len()
    }

    /// The codes of everything that the client did wrong, warnings too, and the attempts that were seen.
    /// All of it is forgotten.
    pub(crate) async fn verdict(&self) -> (Vec<String>, u64) {
        let verdict = self.get("verdict").await;
        let code = |finding: &Value| finding["code"].as_str().unwrap().to_owned();
        let codes: Vec<_> = verdict["findings"].as_array().unwrap().iter().map(code).collect();
        if !codes.is_empty() {
            println!("the judge: {verdict:#}");
        }
        self.http.post(format!("{}/_llmock/reset", self.url)).send().await.unwrap();
        (codes, verdict["attempts"].as_u64().unwrap())
    }

    /// The judge has nothing to say against so many attempts.
    pub(crate) async fn acquits(&self, attempts: u64) {
        assert_eq!(self.verdict().await, (Vec::new(), attempts));
    }

    /// A request without any client of ours.
    pub(crate) async fn post_bare(&self, (protocol, path): (&str, &str)) {
        let function = if protocol == "openai" { "chat/completions" } else { "messages" };
        let message = json!({ "role": "user", "content": "Hello?" });
        let body = json!({ "model": "gpt-4o", "max_tokens": 50, "messages": [message] });
        self.http.post(format!("{}{path}/{function}", self.url)).json(&body).send().await.unwrap();
    }

    async fn get(&self, what: &str) -> Value {
        self.http.get(format!("{}/_llmock/{what}", self.url)).send().await.unwrap().json().await.unwrap()
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
