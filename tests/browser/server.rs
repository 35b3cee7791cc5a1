//! A small static file server: the page from a sub-folder under a strict policy, and pages of
//! another origin that embed it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; object-src 'none'; base-uri 'none'";

/// Answers on a free port of this machine until the test program ends.
pub struct Server {
    url: String,
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    /// What the path of a served file starts with: `/some/folder/`.
    folder: &'static str,
    /// The rest of the path is looked up here first, then under `root`.
    replaced: HashMap<String, String>,
    root: Option<PathBuf>,
    policy: Option<&'static str>,
    requests: Vec<String>,
}

impl Server {
    /// Serves `dist/` from a sub-folder, with a policy that allows no inline script or style.
    pub fn of_page() -> Server {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist");
        assert!(root.join("index.html").is_file(), "there is no dist/index.html: run `make build` first");
        Server::start(
            "127.0.0.1",
            Shared {
                folder: "/some/folder/",
                replaced: HashMap::new(),
                root: Some(root),
                policy: Some(POLICY),
                requests: Vec::new(),
            },
        )
    }

    /// Serves one page from another site than [`Server::of_page`], without any policy:
    /// `localhost` is not `127.0.0.1`, so what it embeds is cross-site.
    pub fn of_host(html: String) -> Server {
        Server::start(
            "localhost",
            Shared {
                folder: "/",
                // An icon, since a browser asks for one and complains if it is missing.
                replaced: HashMap::from([("".into(), html), ("favicon.ico".into(), String::new())]),
                root: None,
                policy: None,
                requests: Vec::new(),
            },
        )
    }

    fn start(host: &str, shared: Shared) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("a bound address").port();
        let url = format!("http://{host}:{port}{}", shared.folder);
        let shared = Arc::new(Mutex::new(shared));
        let answers = Arc::clone(&shared);
        // A thread for each connection: browsers open some and leave them idle.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let answers = Arc::clone(&answers);
                std::thread::spawn(move || answer(&stream, &answers));
            }
        });
        Server { url, shared }
    }

    /// The address of the folder, with a slash at its end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// From now on this text is served in place of a file: `index.html`, say.
    pub fn replace(&self, file: &str, text: String) {
        lock(&self.shared).replaced.insert(file.to_owned(), text);
    }

    /// The text of a served file as it was built.
    pub fn built(&self, file: &str) -> String {
        let root = lock(&self.shared).root.clone().expect("this server serves no folder");
        std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("dist/{file}: {error}"))
    }

    /// The names of a folder's files.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let root = lock(&self.shared).root.clone().expect("this server serves no folder");
        let entries =
            std::fs::read_dir(root.join(folder)).unwrap_or_else(|error| panic!("dist/{folder}: {error}"));
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Every path asked for so far: those in the folder relative to it, others from the root.
    pub fn requests(&self) -> Vec<String> {
        lock(&self.shared).requests.clone()
    }
}

/// A page of another origin with one frame, `#frame`, that shows `url`.
/// `attributes` go on the frame as they are, `width` is in CSS pixels.
pub fn framing(url: &str, attributes: &str, width: u32) -> String {
    format!(
        "<!doctype html><html lang=en><title>A host page</title><body style=\"margin:0\">\
         <iframe id=frame title=Fenceline src=\"{url}\" width={width} height=600 style=\"border:0\" {attributes}></iframe>"
    )
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(mut stream: &TcpStream, shared: &Mutex<Shared>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(request) = lines.next() else { return };
    // The headers say nothing of interest, but must be read.
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let target = request.split(' ').nth(1).unwrap_or_default();
    let path = target.split(['?', '#']).next().unwrap_or_default();

    let mut shared = lock(shared);
    let inside = path.strip_prefix(shared.folder).map(str::to_owned);
    shared.requests.push(inside.clone().unwrap_or_else(|| path.to_owned()));
    let found = inside.and_then(|file| shared.find(&file));
    let policy =
        shared.policy.map(|policy| format!("Content-Security-Policy: {policy}\r\n")).unwrap_or_default();
    drop(shared);

    let (status, kind, body) = match found {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain", b"not here".to_vec()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n{policy}\r\n",
        body.len()
    );
    // A browser may go away in the middle; that is its right.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

impl Shared {
    fn find(&self, file: &str) -> Option<(&'static str, Vec<u8>)> {
        let named = if file.is_empty() && self.root.is_some() { "index.html" } else { file };
        if let Some(text) = self.replaced.get(named) {
            return Some((kind_of(named), text.clone().into_bytes()));
        }
        if named.split('/').any(|part| part == "..") {
            return None;
        }
        let body = std::fs::read(self.root.as_ref()?.join(named)).ok()?;
        Some((kind_of(named), body))
    }
}

fn kind_of(file: &str) -> &'static str {
    match file.rsplit_once('.').map(|(_, extension)| extension) {
        None | Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some(_) => "text/plain; charset=utf-8",
    }
}
