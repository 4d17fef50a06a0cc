//! A browser tab operated over the `DevTools` protocol: [`Tab`].
//!
//! It implements only the few commands needed: crates for the whole protocol take longer to compile
//! than the arena.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::chromium::Chromium;
use crate::support::TestArena;

/// Time limit of every command and condition.
const PATIENCE: Duration = Duration::from_mins(1);

/// A tab with its own cookies and storage.
pub(crate) struct Tab {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    number: u64,
    /// Errors and warnings of the console.
    console_errors: Vec<String>,
    /// Bytes received over the network.
    pub(crate) bytes: u64,
    base: String,
    _browser: Arc<Chromium>,
}

impl Tab {
    /// Opens the start page of an arena; none if there is no browser.
    pub(crate) fn open(arena: &TestArena) -> Option<Self> {
        let mut tab = Self::blank(arena)?;
        tab.visit();
        Some(tab)
    }

    /// A blank tab.
    pub(crate) fn blank(arena: &TestArena) -> Option<Self> {
        let browser = Chromium::get()?;
        let (socket, _) = tungstenite::connect(&browser.address).expect("the browser answers");
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            let patience = Some(PATIENCE + Duration::from_secs(5));
            stream.set_read_timeout(patience).expect("a timeout");
        }
        let mut tab = Self {
            socket,
            session: String::new(),
            number: 0,
            console_errors: Vec::new(),
            bytes: 0,
            base: arena.url.clone(),
            _browser: browser,
        };
        let context = tab.call(
            "Target.createBrowserContext",
            json!({ "disposeOnDetach": true }),
        );
        let context = &context["browserContextId"];
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target = tab.call("Target.createTarget", target);
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = tab.call("Target.attachToTarget", target);
        let name = session["sessionId"].as_str().expect("a session");
        name.clone_into(&mut tab.session);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        tab.resize(1280, 860, false);
        Some(tab)
    }

    /// Opens the start page and waits for its games.
    pub(crate) fn visit(&mut self) {
        let url = self.base.clone();
        self.call("Page.navigate", json!({ "url": url }));
        self.wait("document.querySelectorAll('.card').length > 20");
    }

    /// Sends a command and returns its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.try_call(method, params);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_call(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.number += 1;
        let mut command = json!({ "id": self.number, "method": method });
        command["params"] = params;
        if !self.session.is_empty() {
            command["sessionId"] = json!(self.session);
        }
        let command = Message::text(command.to_string());
        self.socket
            .send(command)
            .map_err(|error| error.to_string())?;
        loop {
            let message = self.socket.read().map_err(|error| error.to_string())?;
            let Message::Text(text) = message else {
                continue;
            };
            let mut said: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            if said["id"] == json!(self.number) {
                return match said.get("error") {
                    Some(error) => Err(error.to_string()),
                    None => Ok(said["result"].take()),
                };
            }
            self.hear(&said);
        }
    }

    /// Handles an event of the browser.
    fn hear(&mut self, said: &Value) {
        let params = &said["params"];
        match said["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => {
                let exception = &params["exceptionDetails"];
                self.console_errors.push(exception.to_string());
            }
            "Runtime.consoleAPICalled"
                if ["error", "warning", "assert"]
                    .contains(&params["type"].as_str().unwrap_or_default()) =>
            {
                self.console_errors.push(params["args"].to_string());
            }
            "Log.entryAdded"
                if ["error", "warning"]
                    .contains(&params["entry"]["level"].as_str().unwrap_or_default()) =>
            {
                self.console_errors.push(params["entry"].to_string());
            }
            "Network.loadingFinished" => {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                // a count of bytes that is written with a decimal point
                let bytes = params["encodedDataLength"].as_f64().unwrap_or(0.0) as u64;
                self.bytes += bytes;
            }
            _ => {}
        }
    }

    /// The value of a JavaScript expression.
    pub(crate) fn js(&mut self, expression: &str) -> Value {
        let found = self.evaluate(expression);
        found.unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn evaluate(&mut self, expression: &str) -> Result<Value, String> {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.try_call("Runtime.evaluate", params)?;
        match answer.get("exceptionDetails") {
            Some(exception) => Err(exception.to_string()),
            None => Ok(answer["result"]["value"].take()),
        }
    }

    pub(crate) fn is(&mut self, condition: &str) -> bool {
        self.js(&format!("!!({condition})")) == json!(true)
    }

    /// Waits until a condition holds on the page; it is evaluated after every frame.
    pub(crate) fn wait(&mut self, condition: &str) {
        let watch = format!(
            "new Promise((tell) => {{
                const end = performance.now() + {};
                const look = () => {{
                    if ({condition}) tell(true);
                    else if (performance.now() > end) tell(false);
                    else setTimeout(look, 15);
                }};
                look();
            }})",
            PATIENCE.as_millis()
        );
        // Leaving a page drops its promises; then the next page is asked.
        let found = (0..5).find_map(|_| self.evaluate(&watch).ok());
        if found != Some(json!(true)) {
            let place = self.leave_picture();
            let said = self.evaluate("location.href + ' ' + document.body.innerText.slice(0, 600)");
            panic!(
                "waited in vain for {condition}\nat {said:?}\nconsole: {:?}\npicture: {place}",
                self.console_errors
            );
        }
    }

    /// The text of the first element that matches a selector.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let selector = json!(selector);
        let text = self.js(&format!(
            "document.querySelector({selector})?.textContent ?? ''"
        ));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// The number of visible elements that match a selector.
    pub(crate) fn count(&mut self, selector: &str) -> u64 {
        let selector = json!(selector);
        let seen = "(element) => element.getClientRects().length > 0";
        let count = self.js(&format!(
            "[...document.querySelectorAll({selector})].filter({seen}).length"
        ));
        count.as_u64().unwrap_or(0)
    }

    /// Clicks the middle of the first visible element that matches a selector and contains the
    /// text.
    pub(crate) fn click(&mut self, selector: &str, words: &str) {
        let find = format!(
            "[...document.querySelectorAll({})].find((element) => element.getClientRects().length > 0 && !element.disabled && element.textContent.includes({}))",
            json!(selector),
            json!(words)
        );
        self.wait(&find);
        // The page may be redrawn at any time: wait until the element does not move and is on top,
        // and retry if the click missed.
        let aim = format!(
            "new Promise((tell) => {{
                window.hit = false;
                const heard = ({{ target }}) => {{ window.hit = {find}?.contains(target) ?? false; }};
                addEventListener('click', heard, {{ capture: true, once: true }});
                let last = '';
                let looks = 0;
                const look = () => {{
                    const element = {find};
                    element?.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                    const {{ x, y, width, height }} = element?.getBoundingClientRect() ?? {{}};
                    const place = [x + width / 2, y + height / 2];
                    const isStill = last === String(place) && element?.contains(document.elementFromPoint(...place));
                    last = String(place);
                    looks += 1;
                    if (element && (isStill || looks > 100)) tell(place);
                    else setTimeout(look, 15);
                }};
                look();
            }})"
        );
        for _ in 0..5 {
            let place = self.js(&aim);
            self.press(
                place[0].as_f64().unwrap_or(0.0),
                place[1].as_f64().unwrap_or(0.0),
            );
            if self.is("window.hit") {
                return;
            }
        }
        panic!("{selector} {words} cannot be hit");
    }

    fn press(&mut self, x: f64, y: f64) {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            self.call(
                "Input.dispatchMouseEvent",
                json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 }),
            );
        }
    }

    /// Selects an option, as with the keyboard.
    pub(crate) fn choose(&mut self, selector: &str, value: &str) {
        self.wait(&format!("document.querySelector({})", json!(selector)));
        self.js(&format!(
            "(() => {{
                const list = document.querySelector({});
                list.value = {};
                list.dispatchEvent(new Event('change', {{ bubbles: true }}));
            }})()",
            json!(selector),
            json!(value)
        ));
    }

    /// Replaces the text of a field, as pasting does.
    pub(crate) fn paste(&mut self, selector: &str, text: &str) {
        self.wait(&format!("document.querySelector({})", json!(selector)));
        self.js(&format!(
            "(() => {{ const field = document.querySelector({}); field.focus(); field.select(); }})()",
            json!(selector)
        ));
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Opens another page of the arena.
    pub(crate) fn go(&mut self, hash: &str) {
        self.js(&format!("location.hash = {}", json!(hash)));
    }

    pub(crate) fn resize(&mut self, width: u32, height: u32, is_phone: bool) {
        let scale = if is_phone { 2 } else { 1 };
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": is_phone }),
        );
    }

    /// Sets the system theme to dark or light.
    pub(crate) fn darken(&mut self, is_dark: bool) {
        let value = if is_dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// Saves a screenshot for a failing test and returns its path.
    fn leave_picture(&mut self) -> String {
        let Ok(picture) = self.try_call("Page.captureScreenshot", json!({})) else {
            return "none".to_owned();
        };
        let name = std::thread::current()
            .name()
            .unwrap_or("test")
            .replace("::", "-");
        let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        let data = picture["data"].as_str().unwrap_or_default();
        let _ = std::fs::write(&place, base64(data));
        place.display().to_string()
    }

    /// Ends a test; there must be no console errors.
    pub(crate) fn leave(mut self) {
        // Once this is answered, all earlier events have been received.
        self.js("1");
        assert!(
            self.console_errors.is_empty(),
            "console: {:#?}",
            self.console_errors
        );
    }
}

/// Decodes base64.
fn base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for digit in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}
