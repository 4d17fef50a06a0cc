//! The `OpenAPI` document of the interface.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// The document, in `OpenAPI` 3.1.
const DOCUMENT: &str = include_str!("openapi.json");

pub(super) async fn document() -> Response {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn document() -> Value {
        serde_json::from_str(DOCUMENT).unwrap()
    }

    #[test]
    fn the_document_describes_every_route_and_nothing_else() {
        let mut answered = BTreeSet::new();
        for (path, methods, _) in super::super::routes() {
            answered.extend(methods.iter().map(|method| format!("{method} {path}")));
        }
        let document = document();
        let mut described = BTreeSet::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            let methods = item.as_object().unwrap().keys();
            let methods = methods.filter(|key| *key != "parameters");
            described.extend(methods.map(|method| format!("{method} {path}")));
        }
        assert_eq!(answered, described);
    }

    #[test]
    fn every_reference_resolves() {
        let document = document();
        let mut left = vec![&document];
        let mut count = 0;
        while let Some(value) = left.pop() {
            match value {
                Value::Object(entries) => {
                    if let Some(Value::String(place)) = entries.get("$ref") {
                        let pointer = place.strip_prefix('#').unwrap();
                        assert!(document.pointer(pointer).is_some(), "{place}");
                        count += 1;
                    }
                    left.extend(entries.values());
                }
                Value::Array(items) => left.extend(items),
                _ => {}
            }
        }
        assert!(count > 10);
    }

    #[test]
    fn requests_that_cannot_be_read_or_are_too_large_are_described() {
        for (path, item) in document()["paths"].as_object().unwrap() {
            for method in ["get", "post"] {
                let Some(operation) = item.get(method) else {
                    continue;
                };
                let answers = &operation["responses"];
                let has_body = operation.get("requestBody").is_some();
                let has_parameters =
                    item.get("parameters").is_some() || operation.get("parameters").is_some();
                if has_body || has_parameters {
                    assert!(answers.get("400").is_some(), "{method} {path}");
                }
                if has_body {
                    assert!(answers.get("413").is_some(), "{method} {path}");
                }
            }
        }
    }

    #[test]
    fn every_parameter_of_a_path_is_described() {
        for (path, item) in document()["paths"].as_object().unwrap() {
            let names = path.split('/').filter_map(|part| {
                let name = part.strip_prefix('{')?;
                name.strip_suffix('}').map(str::to_owned)
            });
            for name in names {
                let parameters = item["parameters"].as_array().unwrap();
                assert!(parameters.iter().any(|p| p["name"] == *name), "{path}");
            }
        }
    }
}
