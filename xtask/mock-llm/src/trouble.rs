//! Errors as the vendors word them.
//!
//! Owns the status and the body of each error in either format, and the pages that proxies put in between.
//! It refuses to know what a client makes of them.

use serde_json::json;

use crate::answer::Wire;
use crate::reply::Response;
use crate::request::Request;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// 401.
    BadKey,
    /// 403.
    Forbidden,
    /// 404, naming the model that was asked for.
    UnknownModel,
    /// 400 for the schema of the first tool.
    RefusedSchema,
    /// 400 with this message.
    BadRequest(String),
    /// 400: more tokens than the model takes.
    TooManyTokens,
    /// 413.
    TooLarge,
    /// 429; with `Retry-After`, in seconds.
    RateLimited { retry_after: Option<u32> },
    /// 400, or 429, of an account that has nothing left, which no waiting mends.
    NoQuota,
    /// 500.
    Internal,
    /// 502, a page of HTML.
    BadGateway,
    /// 503.
    Unavailable,
    /// 529.
    Overloaded,
    /// 200 and a page of HTML, as a captive portal answers.
    Html,
    /// 200 and JSON that is no stream.
    NotAStream,
    /// 307 to this address.
    Redirect(String),
}

impl Trouble {
    pub(crate) fn response(&self, wire: Wire, request: &Request) -> Response {
        match self {
            Trouble::BadKey => match wire {
                Wire::Anthropic => error(wire, 401, "authentication_error", "invalid x-api-key", None),
                Wire::Chat => {
                    let message =
                        "Incorrect API key provided: mo*k. You can find your API key in your account.";
                    error(wire, 401, "invalid_request_error", message, Some("invalid_api_key"))
                }
            },
            Trouble::Forbidden => {
                let message = "Your account does not have access to this resource.";
                error(wire, 403, "permission_error", message, Some("forbidden"))
            }
            Trouble::UnknownModel => unknown_model(wire, &request.model()),
            Trouble::RefusedSchema => refused_schema(wire, request),
            Trouble::BadRequest(message) => error(wire, 400, "invalid_request_error", message, None),
            Trouble::TooManyTokens => {
                let message = match wire {
                    Wire::Anthropic => "prompt is too long: 210000 tokens > 200000 maximum",
                    Wire::Chat => {
                        "This model's maximum context length is 128000 tokens. However, your messages resulted in \
                         210000 tokens. Please reduce the length of the messages."
                    }
                };
                error(wire, 400, "invalid_request_error", message, Some("context_length_exceeded"))
            }
            Trouble::TooLarge => {
                error(wire, 413, "request_too_large", "Request exceeds the maximum size", None)
            }
            Trouble::RateLimited { retry_after } => {
                let message = "This request would exceed your rate limit. Please try again later.";
                let response = error(wire, 429, "rate_limit_error", message, Some("rate_limit_exceeded"));
                match retry_after {
                    Some(seconds) => response.header("retry-after", &seconds.to_string()),
                    None => response,
                }
            }
            Trouble::NoQuota => match wire {
                Wire::Anthropic => {
                    let message = "Your credit balance is too low to access the Anthropic API. Please go to Plans & \
                                   Billing to upgrade or purchase credits.";
                    error(wire, 400, "invalid_request_error", message, None)
                }
                Wire::Chat => {
                    let message =
                        "You exceeded your current quota, please check your plan and billing details.";
                    error(wire, 429, "insufficient_quota", message, Some("insufficient_quota"))
                }
            },
            Trouble::Internal => error(wire, 500, "api_error", "Internal server error", Some("server_error")),
            Trouble::BadGateway => {
                let page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n\
                            <center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n";
                Response::with_length(502, "text/html", page)
            }
            Trouble::Unavailable => {
                error(wire, 503, "api_error", "The server is temporarily unable to serve", None)
            }
            Trouble::Overloaded => error(wire, 529, "overloaded_error", "Overloaded", None),
            Trouble::Html => {
                let page = "<!doctype html><title>Sign in to the network</title><p>Please sign in.</p>";
                Response::with_length(200, "text/html; charset=utf-8", page)
            }
            Trouble::NotAStream => Response::json(200, &json!({"status": "ok"})),
            Trouble::Redirect(to) => Response::with_length(307, "text/plain", "moved").header("location", to),
        }
    }
}

fn unknown_model(wire: Wire, model: &str) -> Response {
    match wire {
        Wire::Anthropic => error(wire, 404, "not_found_error", &format!("model: {model}"), None),
        Wire::Chat => {
            let message = format!("The model `{model}` does not exist or you do not have access to it.");
            error(wire, 404, "invalid_request_error", &message, Some("model_not_found"))
        }
    }
}

fn refused_schema(wire: Wire, request: &Request) -> Response {
    let name = request.tools().into_iter().next().unwrap_or_default();
    match wire {
        Wire::Anthropic => {
            let message = "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12";
            error(wire, 400, "invalid_request_error", message, None)
        }
        Wire::Chat => {
            let message = format!(
                "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'."
            );
            error(wire, 400, "invalid_request_error", &message, Some("invalid_function_parameters"))
        }
    }
}

/// An error in the shape of its vendor. OpenAI's `code` may be null; Anthropic's errors have none.
pub(crate) fn error(wire: Wire, status: u16, kind: &str, message: &str, code: Option<&str>) -> Response {
    match wire {
        Wire::Anthropic => {
            let body = json!({
                "type": "error", "error": {"type": kind, "message": message}, "request_id": "req_mock",
            });
            Response::json(status, &body).header("request-id", "req_mock")
        }
        Wire::Chat => {
            let error = json!({"message": message, "type": kind, "param": null, "code": code});
            Response::json(status, &json!({"error": error})).header("x-request-id", "req_mock")
        }
    }
}
