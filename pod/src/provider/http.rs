//! One connection to one service: requests out, pieces of an answer in.
//!
//! Owns addresses, headers, the proxy of the environment, certificates, and the waits: one to connect, one between two
//! pieces, none on the whole. Redirects are not followed, since that would carry the key to another host. Each trouble is
//! a [`Trouble`]; its sentence is made in `trouble/`. It refuses to know what is asked. Read next: `step.rs`.

mod proxy;

use std::error::Error;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Client, Method, Response, Url};
use serde_json::Value;

pub use self::proxy::Proxy;
use super::endpoint::{Endpoint, EndpointError, Options};
use super::trouble::{Failure, Refusal, Service};

/// Bytes of a refusal that are read, and of a list of models.
const MAX_REFUSAL: usize = 64 * 1024;
const MAX_LIST: usize = 16 * 1024 * 1024;
/// How long a list is waited for that a server wants to give later: a person waits meanwhile.
const MAX_LIST_WAIT: Duration = Duration::from_secs(2);

const NETWORK: &str = "check the address and the network";
/// The way out of a list that broke off.
const UNHEARD: &str = "check the server and its address, name a model, or try again later";
/// What the library says of bytes that something else than HTTP sent.
const NO_HTTP: &[&str] = &["invalid http version", "invalid http status", "invalid http header"];

/// What comes of a request that did not succeed.
#[derive(Debug)]
pub enum Trouble {
    /// The server said no.
    Refused(Refusal),
    /// Nobody answered, or not as was agreed.
    Broken(Failure),
}

/// A way to a service.
pub struct Http {
    client: Client,
    base: Url,
    headers: HeaderMap,
    idle: Duration,
    connect: Duration,
    list_again: Option<Duration>,
    pub service: Service,
    /// It has answered before: then a silence is likely to pass.
    reached: AtomicBool,
}

/// What differs between services before anything is asked.
pub struct Manner {
    pub provider: String,
    /// An address as an example.
    pub example: &'static str,
    /// Header of the key and what stands before it there.
    pub key_header: (&'static str, &'static str),
    pub headers: &'static [(&'static str, &'static str)],
}

impl Http {
    pub fn new(
        manner: &Manner,
        endpoint: &Endpoint,
        place: impl FnOnce(&mut Url),
        options: &Options,
    ) -> Result<Self, EndpointError> {
        let provider = manner.provider.clone();
        if endpoint.model.trim().is_empty() {
            return Err(EndpointError::NoModel { provider });
        }
        let mut base = address(manner, &endpoint.base_url)?;
        place(&mut base);
        let mut headers = HeaderMap::new();
        for (name, value) in manner.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = endpoint.key.as_ref().filter(|key| !key.secret().is_empty()) {
            let (name, before) = manner.key_header;
            let value = HeaderValue::from_str(&format!("{before}{}", key.secret()));
            let mut value = value.map_err(|_| EndpointError::Key { key_source: key.source.clone() })?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        let client = client(&base, options.connect).map_err(|error| {
            let provider = provider.clone();
            EndpointError::Tls { provider, reason: innermost(&error) }
        })?;
        let mut service = Service::new(&manner.provider, &shown(&base), endpoint);
        if !is_here(&base) {
            service.proxy = Proxy::before(&base, &|name| std::env::var(name).ok());
        }
        let Options { idle, connect, list_again, .. } = *options;
        let reached = AtomicBool::new(false);
        Ok(Self { client, base, headers, idle, connect, list_again, service, reached })
    }

    /// Posts a request; a success is an answer that can be read from.
    pub async fn post(&self, path: &[&str], body: &Value) -> Result<Incoming, Trouble> {
        self.send(Method::POST, path, &[], Some(body.to_string())).await
    }

    /// A list of the service, or a sentence for the person. What passes is waited out once, as between two tries of a step.
    pub async fn get(&self, path: &[&str], query: &[(&str, &str)]) -> Result<Value, String> {
        let failure = match self.list(path, query).await {
            Ok(list) => return Ok(list),
            Err(failure) => failure,
        };
        let wait = self.list_again.map(|own| own.max(failure.wait.unwrap_or_default()));
        let again = match wait.filter(|wait| failure.retryable && *wait <= MAX_LIST_WAIT) {
            Some(wait) => {
                tokio::time::sleep(wait).await;
                self.list(path, query).await
            }
            None => Err(failure),
        };
        again.map_err(Failure::sentence)
    }

    async fn list(&self, path: &[&str], query: &[(&str, &str)]) -> Result<Value, Failure> {
        self.document(path, query).await.map_err(|trouble| match trouble {
            Trouble::Refused(refusal) => self.service.unlisted(&refusal),
            Trouble::Broken(mut failure) => {
                failure.way_out.get_or_insert_with(|| UNHEARD.to_owned());
                failure
            }
        })
    }

    async fn document(&self, path: &[&str], query: &[(&str, &str)]) -> Result<Value, Trouble> {
        let mut incoming = self.send(Method::GET, path, query, None).await?;
        let body = incoming.rest(MAX_LIST).await.map_err(Trouble::Broken)?;
        serde_json::from_slice(&body).map_err(|_| {
            Trouble::Broken(match body.trim_ascii_start().first() {
                _ if body.len() == MAX_LIST => {
                    let (service, size) = (&self.service, MAX_LIST / 1024 / 1024);
                    let message =
                        format!("{service} answers with a list of {size} MiB or more, which is not read");
                    Failure::lasting(message, "name a model with --model")
                }
                Some(b'<') => self.service.not_the_api("HTML"),
                _ => self.service.not_the_api("something that is no JSON"),
            })
        })
    }

    async fn send(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, &str)],
        body: Option<String>,
    ) -> Result<Incoming, Trouble> {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut request = self.client.request(method, url).headers(self.headers.clone());
        if let Some(body) = body {
            request = request.body(body);
        }
        let silent = || Trouble::Broken(self.silent());
        let sent = tokio::time::timeout(self.idle, request.send()).await.map_err(|_| silent())?;
        let response = sent.map_err(|error| Trouble::Broken(self.unreached(&error)))?;
        self.reached.store(true, Ordering::Relaxed);
        let (status, headers) = (response.status(), response.headers().clone());
        let mut incoming = Incoming { response, idle: self.idle, service: self.service.clone() };
        if status.is_success() {
            return Ok(incoming);
        }
        let body = incoming.rest(MAX_REFUSAL).await.unwrap_or_default();
        let mut refusal = Refusal::of_body(status.as_u16(), &body);
        refusal.wait = wait_of(&headers, SystemTime::now());
        refusal.retry = text(&headers, "x-should-retry").and_then(|text| text.parse().ok());
        refusal.location = text(&headers, LOCATION.as_str()).unwrap_or_default().to_owned();
        Err(Trouble::Refused(refusal))
    }

    fn silent(&self) -> Failure {
        silent(&self.service, self.idle)
    }

    /// A request that nobody answered.
    fn unreached(&self, error: &reqwest::Error) -> Failure {
        let service = &self.service;
        let Service { provider, address, proxy, .. } = service;
        let reason = innermost(error);
        let seconds = self.connect.as_secs_f64();
        let retryable = self.reached.load(Ordering::Relaxed);
        let failure = |what: String, way_out: &str| Failure::lasting(format!("{provider}: {what}"), way_out);
        if is_tls(error) {
            return failure(
                format!("no safe connection to {address} ({reason})"),
                "check the address, or have its certificate among the system's",
            );
        }
        if names(error, NO_HTTP) {
            return service.not_the_api("something that is no HTTP");
        }
        let failure = if error.is_timeout() {
            match (proxy, self.base.scheme()) {
                (Some(proxy), _) => proxy.leads_nowhere(service, &format!("nothing within {seconds} s")),
                (None, "https") => failure(
                    format!("no TLS connection to {address} within {seconds} s"),
                    "check the address and the network, and whether TLS is spoken there",
                ),
                _ => failure(format!("{address} does not answer within {seconds} s"), NETWORK),
            }
        } else if let Some(proxy) = proxy.as_ref().filter(|_| error.is_connect()) {
            if names(error, &["proxy authorization required"]) {
                return proxy.wants_login(provider);
            }
            proxy.leads_nowhere(service, &reason)
        } else if error.is_dns() || names(error, &["dns error", "failed to lookup"]) {
            failure(format!("the host of {address} is not known ({reason})"), NETWORK)
        } else if error.is_connect() {
            failure(
                format!("nothing answers at {address} ({reason})"),
                "start the server, or check the address",
            )
        } else {
            return Failure::passing(format!("{provider}: the connection to {address} broke off ({reason})"));
        };
        Failure { retryable, ..failure }
    }
}

/// An answer that arrives.
pub struct Incoming {
    response: Response,
    idle: Duration,
    service: Service,
}

impl Incoming {
    /// The next piece; `None` at the end. Waits at most `idle`.
    pub async fn piece(&mut self, at_most: Option<Duration>) -> Result<Option<Vec<u8>>, Failure> {
        let idle = at_most.map_or(self.idle, |most| most.min(self.idle));
        match tokio::time::timeout(idle, self.response.chunk()).await {
            Err(_) => Err(silent(&self.service, idle)),
            Ok(Ok(piece)) => Ok(piece.map(|piece| piece.to_vec())),
            Ok(Err(error)) => {
                Err(self.service.passing(&format!("broke its answer off ({})", innermost(&error))))
            }
        }
    }

    /// What is left of it, up to a bound.
    async fn rest(&mut self, most: usize) -> Result<Vec<u8>, Failure> {
        let mut whole = Vec::new();
        while let Some(piece) = self.piece(None).await? {
            let room = most.saturating_sub(whole.len());
            whole.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.len() > room {
                break;
            }
        }
        Ok(whole)
    }
}

fn silent(service: &Service, idle: Duration) -> Failure {
    service.passing(&format!("said nothing for {} s", idle.as_secs_f64()))
}

fn address(manner: &Manner, text: &str) -> Result<Url, EndpointError> {
    let wrong = |reason: String| EndpointError::Address {
        provider: manner.provider.clone(),
        url: without_secrets(text),
        reason,
        example: manner.example,
    };
    let url = Url::parse(text.trim()).map_err(|error| wrong(error.to_string()))?;
    match (url.scheme(), url.has_host()) {
        ("http" | "https", true) => Ok(url),
        _ => Err(wrong("it begins with neither http:// nor https://".to_owned())),
    }
}

/// An address that could not be read, without what stands before the host in it.
fn without_secrets(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => text.to_owned(),
    }
}

fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for addresses without a host.
    let _ = (url.set_username(""), url.set_password(None));
    url.set_query(None);
    url.as_str().trim_end_matches('/').to_owned()
}

fn client(base: &Url, connect: Duration) -> Result<Client, reqwest::Error> {
    static CRYPTO: Once = Once::new();
    // Somebody else may have chosen one before; theirs is as good.
    CRYPTO.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    let mut builder = Client::builder()
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none())
        .tcp_keepalive(Duration::from_secs(30))
        .user_agent(concat!("carpel/", env!("CARGO_PKG_VERSION")));
    if base.scheme() == "http" {
        // No certificate is looked at; a machine without any must still reach its own servers.
        builder = builder.tls_certs_only([]);
    }
    if is_here(base) {
        builder = builder.no_proxy();
    }
    builder.build()
}

/// Whether the host is this machine, which no proxy leads to.
fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// How long the server wants to be left alone. A date is meant by the server's clock, which the answer tells; ours may be
/// another one.
fn wait_of(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let number = |name: &str| text(headers, name)?.trim().parse::<f64>().ok();
    let date = |name: &str| date(text(headers, name)?.trim());
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number(RETRY_AFTER.as_str()));
    match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => date(RETRY_AFTER.as_str())?.duration_since(date(DATE.as_str()).unwrap_or(now)).ok(),
    }
}

/// The weekday of a date adds nothing to it, so a wrong one takes nothing away.
fn date(text: &str) -> Option<SystemTime> {
    let tail = text.get(3..)?;
    let on = |day: &str| httpdate::parse_http_date(&format!("{day}{tail}")).ok();
    let any = || ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].into_iter().find_map(on);
    httpdate::parse_http_date(text).ok().or_else(any)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (**error).source())
}

fn innermost(error: &(dyn Error + 'static)) -> String {
    let said = causes(error).last().map(ToString::to_string).unwrap_or_default();
    super::trouble::one_line(&said)
}

fn names(error: &(dyn Error + 'static), any: &[&str]) -> bool {
    causes(error).any(|cause| super::trouble::has_any(&cause.to_string(), any))
}

fn is_tls(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| {
        cause.is::<rustls::Error>() || cause.downcast_ref::<std::io::Error>().is_some_and(wraps_tls)
    })
}

/// Errors of IO hide what they wrap from `source`, and wrap each other.
fn wraps_tls(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|inner| {
        inner.is::<rustls::Error>() || inner.downcast_ref::<std::io::Error>().is_some_and(wraps_tls)
    })
}
