//! The proxy that the environment puts between us and an address, so that a trouble of the proxy's is told as its own.
//!
//! Owns which variable it came from and how it is shown: without the name and password in it. The rules are those of the
//! HTTP client, from the same library. It refuses to know requests.

use std::fmt;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

use crate::provider::trouble::{Failure, Service};

/// A proxy on the way to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// What a person would change.
    variable: &'static str,
    address: String,
}

impl Proxy {
    /// The proxy on the way to `url`, if there is one.
    pub fn before(url: &Url, environment: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let first = |names: &[&'static str]| {
            names
                .iter()
                .find_map(|name| Some((*name, environment(name)?)))
                .filter(|(_, value)| !value.is_empty())
        };
        let own: [&'static str; 2] = if url.scheme() == "https" {
            ["HTTPS_PROXY", "https_proxy"]
        } else {
            ["HTTP_PROXY", "http_proxy"]
        };
        let (variable, value) = first(&own).or_else(|| first(&["ALL_PROXY", "all_proxy"]))?;
        let no = first(&["NO_PROXY", "no_proxy"]).map(|(_, value)| value).unwrap_or_default();
        let matcher = Matcher::builder().all(value).no(no).build();
        let intercept = matcher.intercept(&url.as_str().parse().ok()?)?;
        let proxy = intercept.uri();
        let port = proxy.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
        let address = format!("{}://{}{port}", proxy.scheme_str().unwrap_or("http"), proxy.host()?);
        Some(Self { variable, address })
    }

    /// It lets nobody through without a name.
    pub fn wants_login(&self, provider: &str) -> Failure {
        let Self { variable, .. } = self;
        Failure::lasting(
            format!("{provider}: {self} wants a name and a password (407)"),
            format!("put them into {variable}, as in http://NAME:PASSWORD@HOST:PORT"),
        )
    }

    /// It cannot be reached, or does not reach the address.
    pub fn leads_nowhere(&self, service: &Service, reason: &str) -> Failure {
        let Service { provider, address, .. } = service;
        Failure::lasting(
            format!("{provider}: {self} does not lead to {address} ({reason})"),
            format!("check {}, or name the host in NO_PROXY", self.variable),
        )
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the proxy {} from {}", self.address, self.variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_proxy_is_on_the_way() {
        let check = |url: &str, set: &[(&str, &str)], expected: Option<&str>| {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            let proxy = Proxy::before(&url.parse().unwrap(), &variable);
            assert_eq!(proxy.map(|proxy| proxy.to_string()).as_deref(), expected, "{url} {set:?}");
        };
        let (safe, plain) = ("https://api.example/v1", "http://api.example/v1");
        check(safe, &[], None);
        check(safe, &[("HTTP_PROXY", "http://p:1")], None);
        check(safe, &[("HTTPS_PROXY", "http://u:pw@p:1/")], Some("the proxy http://p:1 from HTTPS_PROXY"));
        check(safe, &[("https_proxy", "p:3128")], Some("the proxy http://p:3128 from https_proxy"));
        check(plain, &[("http_proxy", "http://p")], Some("the proxy http://p from http_proxy"));
        check(plain, &[("ALL_PROXY", "socks5://p:9")], Some("the proxy socks5://p:9 from ALL_PROXY"));
        check(plain, &[("HTTP_PROXY", "http://p"), ("NO_PROXY", ".example")], None);
        check(safe, &[("HTTPS_PROXY", "")], None);
    }
}
