// eslint.config.mjs: the style of the viewer and of its tests.

import js from "@eslint/js";

const browser = ["document", "window", "location", "history", "navigator", "matchMedia", "getComputedStyle", "requestAnimationFrame", "setTimeout", "clearTimeout",
	"performance", "Blob", "Response", "DecompressionStream", "TextDecoder", "URLSearchParams", "ResizeObserver", "addEventListener", "atob", "Event",
	"HTMLElement", "SECTIONS"];
const node = ["process", "getComputedStyle", "console", "setTimeout", "URL", "window", "document", "location", "requestAnimationFrame", "performance", "Event", "WheelEvent"];
const rules = {
	...js.configs.recommended.rules,
	"no-var": "error", "prefer-const": "error", eqeqeq: "error", "no-eval": "error", "no-implied-eval": "error", "no-new-func": "error",
	"no-shadow": "error", "no-unused-vars": ["error", {args: "after-used"}], "no-console": "error", "max-lines": ["error", 500], "max-lines-per-function": ["error", 70],
	"max-params": ["error", 8], "no-control-regex": "off", "no-irregular-whitespace": "off", "no-misleading-character-class": "off",
	// A name from an experiment reaches the page as text only.
	"no-restricted-properties": ["error", {property: "innerHTML"}, {property: "outerHTML"}, {property: "insertAdjacentHTML"}, {object: "document", property: "write"}],
	"no-restricted-globals": ["error", "fetch", "XMLHttpRequest", "WebSocket", "localStorage"],
};

const globals = (names) => Object.fromEntries(names.map((name) => [name, "readonly"]));

export default [
	{files: ["**/viewer/*.js"], languageOptions: {ecmaVersion: 2023, sourceType: "module", globals: globals(browser)}, rules},
	{files: ["**/*.mjs"], languageOptions: {ecmaVersion: 2023, sourceType: "module", globals: globals(node)}, rules: {...rules, "no-console": "off"}},
];
