//! Hosts on one machine: namespaces that a bridge connects. It needs root, `ip`, `tc`, and `nft` or
//! `iptables`.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, Stdio};

/// The share of packets that a lossy host does not hear, in percent.
const LOSS_PERCENT: u8 = 3;

/// The hosts and the switch between them; all of it goes away when it is dropped.
pub struct Network {
    name: String,
    subnet: u8,
    hosts: Vec<String>,
}

impl Network {
    /// A switch that the test itself is connected to.
    ///
    /// # Errors
    /// What this machine lacks, in words.
    pub fn new() -> Result<Self, String> {
        let (name, subnet) = (format!("plt{:06x}", fastrand::u32(..1 << 24)), fastrand::u8(1..255));
        let mut this = Self { name, subnet, hosts: Vec::new() };
        this.add_namespace("switch")?;
        let (switch, own) = (this.namespace("switch"), this.name.clone());
        run("ip", &["-n", &switch, "link", "add", "bridge", "type", "bridge"])?;
        run("ip", &["-n", &switch, "link", "set", "bridge", "up"])?;
        run("ip", &["link", "add", &own, "type", "veth", "peer", "name", "test", "netns", &switch])?;
        run("ip", &["-n", &switch, "link", "set", "test", "master", "bridge", "up"])?;
        run("ip", &["addr", "add", &format!("{}/24", this.own_address()), "dev", &own])?;
        run("ip", &["link", "set", &own, "up"])?;
        Ok(this)
    }

    /// One more host, with its address.
    ///
    /// # Errors
    /// What this machine lacks, in words.
    pub fn add(&mut self, host: &str) -> Result<IpAddr, String> {
        self.add_namespace(host)?;
        let (switch, inside) = (self.namespace("switch"), self.namespace(host));
        let address = IpAddr::V4(Ipv4Addr::new(10, 213, self.subnet, self.hosts.len() as u8 + 1));
        let pair = ["link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", &inside];
        run("ip", &[&["-n", &switch][..], &pair].concat())?;
        run("ip", &["-n", &switch, "link", "set", host, "master", "bridge", "up"])?;
        run("ip", &["-n", &inside, "addr", "add", &format!("{address}/24"), "dev", "eth0"])?;
        run("ip", &["-n", &inside, "link", "set", "eth0", "up"])?;
        run("ip", &["-n", &inside, "link", "set", "lo", "up"])?;
        Ok(address)
    }

    /// The test's own address among the hosts.
    pub fn own_address(&self) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 213, self.subnet, 1))
    }

    /// What stands before a command that runs on a host.
    pub fn on(&self, host: &str) -> Vec<String> {
        ["ip", "netns", "exec", &self.namespace(host)].map(str::to_owned).to_vec()
    }

    /// Makes the way to a host slow: with delay and jitter, or, where the kernel has no such thing, with
    /// little bandwidth.
    ///
    /// # Errors
    /// When the kernel can do neither.
    pub fn slow_down(&self, host: &str) -> Result<(), String> {
        let switch = self.namespace("switch");
        let tc = ["netns", "exec", &switch, "tc", "qdisc", "add", "dev", host, "root"];
        let delay = ["netem", "delay", "15ms", "10ms"];
        let bandwidth = ["tbf", "rate", "10mbit", "burst", "32kb", "latency", "100ms"];
        for way in [&delay[..], &bandwidth] {
            if run("ip", &[&tc[..], way].concat()).is_ok() {
                println!("the way to {host}: {}", way.join(" "));
                return Ok(());
            }
        }
        Err("the kernel knows neither netem nor tbf".to_owned())
    }

    /// Lets a host lose some of the packets that reach it.
    ///
    /// # Errors
    /// When there is neither `nft` nor `iptables`.
    pub fn lose(&self, host: &str) -> Result<(), String> {
        let inside = self.on(host);
        let rules = format!(
            "add table inet test\nadd chain inet test in {{ type filter hook input priority 0; }}\n\
             add rule inet test in numgen random mod 100 < {LOSS_PERCENT} drop\n"
        );
        let share = format!("0.{LOSS_PERCENT:02}");
        let fallback = ["iptables", "-A", "INPUT", "-m", "statistic", "--mode", "random", "--probability"];
        let nft = feed(&inside, &["nft", "-f", "-"], &rules);
        nft.or_else(|first| {
            let iptables = feed(&inside, &[&fallback[..], &[&share, "-j", "DROP"]].concat(), "");
            iptables.map_err(|second| format!("{first}; {second}"))
        })
    }

    /// Cuts a host off, or connects it again.
    pub fn connect(&self, host: &str, connected: bool) {
        let state = if connected { "up" } else { "down" };
        run("ip", &["-n", &self.namespace("switch"), "link", "set", host, state]).unwrap();
    }

    fn namespace(&self, host: &str) -> String {
        format!("{}-{host}", self.name)
    }

    fn add_namespace(&mut self, host: &str) -> Result<(), String> {
        run("ip", &["netns", "add", &self.namespace(host)])?;
        self.hosts.push(host.to_owned());
        Ok(())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // The test's own end goes away with the switch.
        for host in &self.hosts {
            let removed = run("ip", &["netns", "del", &self.namespace(host)]);
            removed.unwrap_or_else(|error| println!("a namespace is left: {error}"));
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    feed(&[], &[&[program], arguments].concat(), "")
}

fn feed(before: &[String], words: &[&str], stdin: &str) -> Result<(), String> {
    let words: Vec<&str> = before.iter().map(String::as_str).chain(words.iter().copied()).collect();
    let failed = |error: &str| format!("`{}`: {}", words.join(" "), error.trim());
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error.to_string()))?;
    // A command that needs no input may have ended.
    let _ended = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().map_err(|error| failed(&error.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(failed(&String::from_utf8_lossy(&output.stderr))) }
}
