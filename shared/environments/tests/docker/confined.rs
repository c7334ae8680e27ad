//! What a world in a container cannot do.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use palaestra_environments::Error;
use palaestra_environments::launch::ContainerLimits;

use crate::support::{lab, run};

#[tokio::test]
async fn a_world_has_no_network_no_rights_and_writes_temporary_files_only() {
    let Some(lab) = lab().await else { return };
    let mut world =
        lab.probe(ContainerLimits { temporary: 1 << 20, ..ContainerLimits::default() }, vec![]).await;
    let mut said = async |code: &str| run(&mut world, code).await.unwrap().content;

    let interfaces = "result = [l.split(':')[0].strip() for l in open('/proc/net/dev').readlines()[2:]]";
    let interfaces = said(interfaces).await;
    // Some kernels show tunnels that are down in every namespace.
    assert!(interfaces.contains("'lo'") && !interfaces.contains("eth"), "{interfaces}");
    let connect = "import socket\nsocket.create_connection(('192.0.2.1', 80), 5)";
    assert!(said(connect).await.contains("Network is unreachable"));

    let status =
        "result = {l.split(':')[0]: l.split()[1] for l in open('/proc/self/status') if len(l.split()) > 1}";
    let read = |name: &str| format!("{status}\nresult = result['{name}']");
    assert_eq!(said(&read("CapEff")).await, "0000000000000000");
    assert_eq!(said(&read("CapBnd")).await, "0000000000000000");
    assert_eq!(said(&read("NoNewPrivs")).await, "1");
    assert_eq!(said(&read("Uid")).await, "65534");

    for path in ["/opt/palaestra/adapter/x", "/etc/x", "/var/x", "/x"] {
        let refused = said(&format!("open('{path}', 'w')")).await;
        assert!(refused.contains("Read-only file system"), "{path}: {refused}");
    }
    let file = "import os, tempfile\nfile = os.path.join(tempfile.gettempdir(), 'x')\n";
    let written = said(&format!("{file}open(file, 'w').write('x')\nresult = open(file).read()")).await;
    assert_eq!(written, "x");
    let fill = format!("{file}f = open(file, 'wb', 0)\nfor _ in range(64): f.write(bytes(1 << 16))");
    let full = said(&fill).await;
    assert!(full.contains("No space left"), "{full}");
    let set = said("import os\nresult = sorted(os.environ)").await;
    assert!(!set.contains("CARGO") && !set.contains("DOCKER"), "{set}");
}

#[tokio::test]
async fn memory_beyond_the_limit_ends_the_world_and_the_error_says_so() {
    let Some(lab) = lab().await else { return };
    let mut world =
        lab.probe(ContainerLimits { memory: 64 << 20, ..ContainerLimits::default() }, vec![]).await;
    assert!(!run(&mut world, "kept = bytearray(16 << 20)").await.unwrap().error);
    let error = run(&mut world, "kept = bytearray(256 << 20)").await.unwrap_err();
    let Error::Dead { end, .. } = &error else { panic!("{error}") };
    assert_eq!(end, "exit status: 137 (signal: 9), out of memory: its limit is 64 MiB");
}

#[tokio::test]
async fn processes_and_processors_are_limited() {
    let Some(lab) = lab().await else { return };
    let limits = ContainerLimits { processes: 16, cpus: 0.2, ..ContainerLimits::default() };
    let mut world = lab.probe(limits, vec![]).await;
    let busy = "import time\nstart, used = time.perf_counter(), time.process_time()\n\
                while time.perf_counter() - start < 2: pass\n\
                result = (time.process_time() - used) / (time.perf_counter() - start)";
    let share: f64 = run(&mut world, busy).await.unwrap().content.parse().unwrap();
    assert!(share < 0.35, "{share} of a processor");
    let many = "import subprocess\nfor started in range(64): subprocess.Popen(['sleep', '60'])";
    let refused = run(&mut world, many).await.unwrap();
    assert!(refused.error && refused.content.contains("BlockingIOError"), "{}", refused.content);
}

#[tokio::test]
async fn a_folder_of_data_can_be_read_and_not_written() {
    let Some(lab) = lab().await else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(folder.path().join("tasks.json"), "[1]").unwrap();
    let path = folder.path().display();
    let mut world = lab.probe(ContainerLimits::default(), vec![folder.path().to_owned()]).await;
    let read = run(&mut world, &format!("result = open('{path}/tasks.json').read()")).await.unwrap();
    assert_eq!(read.content, "[1]");
    let write = run(&mut world, &format!("open('{path}/new', 'w')")).await.unwrap();
    assert!(write.content.contains("Read-only file system"), "{}", write.content);
}
