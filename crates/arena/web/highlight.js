/* Syntax highlighting of rule sheets by a lexer; the checker knows the meaning of words. */

const KEYWORDS = new Set(["role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "distinct", "not", "or", "and", "<="]);
const TOKEN = /(;[^\n]*)|([()])|(\?[^\s()";]*)|("[^"\n]*"?)|([^\s()";]+)|(\s+)/g;

/** The tokens of a text, `{ text, kind }`; their texts concatenated are the text. */
export function tokens(text) {
  const found = [];
  for (const [piece, comment, parenthesis, variable, quoted, word] of text.matchAll(TOKEN)) {
    let kind = "";
    if (comment) kind = "comment";
    else if (parenthesis) kind = "parenthesis";
    else if (variable) kind = "variable";
    else if (quoted) kind = "quoted";
    else if (word) kind = KEYWORDS.has(word.toLowerCase()) ? "keyword" : /^\d+$/.test(word) ? "figure" : "word";
    found.push({ text: piece, kind });
  }
  return found;
}

/** A text with colours as nodes. */
export function highlighted(text) {
  const fragment = document.createDocumentFragment();
  for (const { text: piece, kind } of tokens(text)) fragment.append(span(piece, kind));
  return fragment;
}

export function span(text, kind) {
  if (!kind || kind === "word") return document.createTextNode(text);
  const element = document.createElement("span");
  element.className = `gdl-${kind}`;
  element.textContent = text;
  return element;
}
