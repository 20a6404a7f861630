/*
The bundled skill web-fetch of Ambit. Apache License 2.0; built from packages/skill-web-fetch-js of the Ambit repository.

It contains @mdream/js 1.7.2 by Harlan Wilton, under the MIT License: the text is in LICENSE-mdream beside this file, the
source at https://github.com/harlan-zw/mdream and in the npm package of that name and version.
*/
import { fetch } from "ambit";
const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/;
function resolveUrl$1(reference, base) {
	const [, scheme, authority, path = "", query] = partsOf(reference);
	const [, baseScheme, baseAuthority, basePath = "", baseQuery] = partsOf(base);
	if (scheme !== void 0) return urlOf(scheme, authority, path, query);
	if (authority !== void 0) return urlOf(baseScheme, authority, path, query);
	if (path === "") return urlOf(baseScheme, baseAuthority, basePath, query ?? baseQuery);
	return urlOf(baseScheme, baseAuthority, path.startsWith("/") ? path : merged(basePath, path), query);
}
function partsOf(reference) {
	return parts.exec(encoded(reference));
}
function encoded(reference) {
	return reference.trim().replace(/[\t\n\r]/g, "").replace(/\p{Surrogate}/gu, "�").replace(/[^!-~]+|["<>\\^`{|}]/g, encodeURIComponent);
}
function urlOf(scheme = "", authority, path, query) {
	if (!/^https?$/i.test(scheme) || !authority) return void 0;
	return `${scheme.toLowerCase()}://${authority}${withoutDots(path) || "/"}${query === void 0 ? "" : `?${query}`}`;
}
function merged(basePath, path) {
	return `${basePath.slice(0, basePath.lastIndexOf("/") + 1) || "/"}${path}`;
}
function withoutDots(path) {
	const segments = path.split("/");
	const last = segments.at(-1);
	const resolved = [];
	for (const segment of segments.slice(1)) if (segment === "..") resolved.pop();
	else if (segment !== ".") resolved.push(segment);
	if (last === "." || last === "..") resolved.push("");
	return resolved.length === 0 ? "" : `/${resolved.join("/")}`;
}
const redirectsMax = 5;
const redirects = new Set([
	301,
	302,
	303,
	307,
	308
]);
const headers = { accept: "text/markdown, text/html;q=0.9, application/json;q=0.8, text/*;q=0.7, */*;q=0.1" };
async function follow(first) {
	let url = resolveUrl$1(first, "");
	if (url === void 0) throw new Error(`${first} is not an http or https URL`);
	for (let redirected = 0; redirected <= redirectsMax; redirected++) {
		const response = await requested(url, redirected === 0 ? "" : `${first} redirects to ${url}: `);
		const location = response.headers["location"];
		if (!redirects.has(response.status) || location === void 0) return {
			url,
			response
		};
		const next = resolveUrl$1(location, url);
		if (next === void 0) throw new Error(`${url} redirects to ${location}, which is not an http or https URL`);
		url = next;
	}
	throw new Error(`${first} redirects more than ${redirectsMax} times, last to ${url}`);
}
async function requested(url, before) {
	try {
		return await fetch(url, {
			method: "GET",
			headers
		});
	} catch (error) {
		throw new Error(`${before}${error.message}`);
	}
}
function formOf(url, response) {
	const [type = "", ...parameters] = (response.headers["content-type"] ?? "").toLowerCase().split(";");
	const name = type.trim();
	const form = name === "" ? guessed(response.text()) : formOfType(name);
	if (form === void 0) throw new Error(`${url} is ${name}; web-fetch reads only HTML and text`);
	const charset = /charset *= *"?([^";\s]+)/.exec(parameters.join(";"))?.[1] ?? "utf-8";
	if (!/^(utf-?8|us-ascii)$/.test(charset)) throw new Error(`${url} is in ${charset}; web-fetch reads only UTF-8`);
	return form;
}
function formOfType(type) {
	if (type === "text/html" || type === "application/xhtml+xml") return "html";
	if (type === "text/markdown") return "markdown";
	return /^(?:text|application)\/(?:[\w.-]+\+)?(?:x-)?(json|xml|yaml|javascript|css|csv)$/.exec(type)?.[1] ?? (type.startsWith("text/") ? "" : void 0);
}
function guessed(text) {
	return /^\s*<(!doctype html|html|head|body)\b/i.test(text) ? "html" : "";
}
const TagIdMap = {
	html: 0,
	head: 1,
	details: 2,
	summary: 3,
	title: 4,
	meta: 5,
	br: 6,
	h1: 7,
	h2: 8,
	h3: 9,
	h4: 10,
	h5: 11,
	h6: 12,
	hr: 13,
	strong: 14,
	b: 15,
	em: 16,
	i: 17,
	del: 18,
	s: 110,
	strike: 111,
	sub: 19,
	sup: 20,
	ins: 21,
	blockquote: 22,
	code: 23,
	ul: 24,
	li: 25,
	a: 26,
	img: 27,
	table: 28,
	thead: 29,
	tr: 30,
	th: 31,
	td: 32,
	ol: 33,
	pre: 34,
	p: 35,
	div: 36,
	span: 37,
	tbody: 38,
	tfoot: 39,
	form: 40,
	nav: 41,
	label: 42,
	button: 43,
	body: 44,
	center: 45,
	kbd: 46,
	footer: 47,
	path: 48,
	svg: 49,
	article: 50,
	section: 51,
	script: 52,
	style: 53,
	link: 54,
	area: 55,
	base: 56,
	col: 57,
	embed: 58,
	input: 59,
	keygen: 60,
	param: 61,
	source: 62,
	track: 63,
	wbr: 64,
	select: 65,
	textarea: 66,
	option: 67,
	fieldset: 68,
	legend: 69,
	audio: 70,
	video: 71,
	canvas: 72,
	iframe: 73,
	map: 74,
	dialog: 75,
	meter: 76,
	progress: 77,
	template: 78,
	abbr: 79,
	mark: 80,
	q: 81,
	samp: 82,
	small: 83,
	noscript: 84,
	noframes: 85,
	noembed: 112,
	xmp: 86,
	plaintext: 87,
	aside: 88,
	u: 89,
	cite: 90,
	dfn: 91,
	var: 92,
	time: 93,
	bdo: 94,
	ruby: 95,
	rt: 96,
	rp: 97,
	dd: 98,
	dt: 99,
	dl: 101,
	address: 100,
	figure: 102,
	object: 103,
	main: 104,
	header: 105,
	figcaption: 106,
	caption: 107,
	datalist: 108,
	optgroup: 109
};
function isInsideRawHtmlBlock(depthMap) {
	return Boolean(depthMap[2] || depthMap[3] || depthMap[100] || depthMap[101] || depthMap[99] || depthMap[98]);
}
const NO_SPACING = [0, 0];
const DEFAULT_BLOCK_SPACING = [2, 2];
const BLOCKQUOTE_SPACING = [2, 2];
const LIST_ITEM_SPACING = [1, 0];
const TABLE_ROW_SPACING = [0, 1];
const HTML_ENTITIES = {
	AElig: "Æ",
	AMP: "&",
	Aacute: "Á",
	Acirc: "Â",
	Agrave: "À",
	$Alpha: "Α",
	Aring: "Å",
	Atilde: "Ã",
	Auml: "Ä",
	$Beta: "Β",
	COPY: "©",
	Ccedil: "Ç",
	$Chi: "Χ",
	$Dagger: "‡",
	$Delta: "Δ",
	ETH: "Ð",
	Eacute: "É",
	Ecirc: "Ê",
	Egrave: "È",
	$Epsilon: "Ε",
	$Eta: "Η",
	Euml: "Ë",
	GT: ">",
	$Gamma: "Γ",
	Iacute: "Í",
	Icirc: "Î",
	Igrave: "Ì",
	$Iota: "Ι",
	Iuml: "Ï",
	$Kappa: "Κ",
	LT: "<",
	$Lambda: "Λ",
	$Mu: "Μ",
	Ntilde: "Ñ",
	$Nu: "Ν",
	$OElig: "Œ",
	Oacute: "Ó",
	Ocirc: "Ô",
	Ograve: "Ò",
	$Omega: "Ω",
	$Omicron: "Ο",
	Oslash: "Ø",
	Otilde: "Õ",
	Ouml: "Ö",
	$Phi: "Φ",
	$Pi: "Π",
	$Prime: "″",
	$Psi: "Ψ",
	QUOT: "\"",
	REG: "®",
	$Rho: "Ρ",
	$Scaron: "Š",
	$Sigma: "Σ",
	THORN: "Þ",
	$Tau: "Τ",
	$Theta: "Θ",
	Uacute: "Ú",
	Ucirc: "Û",
	Ugrave: "Ù",
	$Upsilon: "Υ",
	Uuml: "Ü",
	$Xi: "Ξ",
	Yacute: "Ý",
	$Yuml: "Ÿ",
	$Zeta: "Ζ",
	aacute: "á",
	acirc: "â",
	acute: "´",
	aelig: "æ",
	agrave: "à",
	$alefsym: "ℵ",
	$alpha: "α",
	amp: "&",
	$and: "∧",
	$ang: "∠",
	$apos: "'",
	aring: "å",
	$asymp: "≈",
	atilde: "ã",
	auml: "ä",
	$bdquo: "„",
	$beta: "β",
	brvbar: "¦",
	$bull: "•",
	$cap: "∩",
	ccedil: "ç",
	cedil: "¸",
	cent: "¢",
	$chi: "χ",
	$circ: "ˆ",
	$clubs: "♣",
	$cong: "≅",
	copy: "©",
	$crarr: "↵",
	$cup: "∪",
	curren: "¤",
	$dArr: "⇓",
	$dagger: "†",
	$darr: "↓",
	deg: "°",
	$delta: "δ",
	$diams: "♦",
	divide: "÷",
	eacute: "é",
	ecirc: "ê",
	egrave: "è",
	$empty: "∅",
	$epsilon: "ε",
	$equiv: "≡",
	$eta: "η",
	eth: "ð",
	euml: "ë",
	$euro: "€",
	$exist: "∃",
	$fnof: "ƒ",
	$forall: "∀",
	frac12: "½",
	frac14: "¼",
	frac34: "¾",
	$frasl: "⁄",
	$gamma: "γ",
	$ge: "≥",
	gt: ">",
	$hArr: "⇔",
	$harr: "↔",
	$hearts: "♥",
	$hellip: "…",
	iacute: "í",
	icirc: "î",
	iexcl: "¡",
	igrave: "ì",
	$image: "ℑ",
	$infin: "∞",
	$int: "∫",
	$iota: "ι",
	iquest: "¿",
	$isin: "∈",
	iuml: "ï",
	$kappa: "κ",
	$lArr: "⇐",
	$lambda: "λ",
	$lang: "⟨",
	laquo: "«",
	$larr: "←",
	$lceil: "⌈",
	$ldquo: "“",
	$le: "≤",
	$lfloor: "⌊",
	$lowast: "∗",
	$loz: "◊",
	$lsaquo: "‹",
	$lsquo: "‘",
	lt: "<",
	macr: "¯",
	$mdash: "—",
	micro: "µ",
	middot: "·",
	$minus: "−",
	$mu: "μ",
	$nabla: "∇",
	nbsp: "\xA0",
	$ndash: "–",
	$ne: "≠",
	$ni: "∋",
	not: "¬",
	$notin: "∉",
	$nsub: "⊄",
	ntilde: "ñ",
	$nu: "ν",
	oacute: "ó",
	ocirc: "ô",
	$oelig: "œ",
	ograve: "ò",
	$oline: "‾",
	$omega: "ω",
	$omicron: "ο",
	$oplus: "⊕",
	$or: "∨",
	ordf: "ª",
	ordm: "º",
	oslash: "ø",
	otilde: "õ",
	$otimes: "⊗",
	ouml: "ö",
	para: "¶",
	$part: "∂",
	$permil: "‰",
	$perp: "⊥",
	$phi: "φ",
	$pi: "π",
	$piv: "ϖ",
	plusmn: "±",
	pound: "£",
	$prime: "′",
	$prod: "∏",
	$prop: "∝",
	$psi: "ψ",
	quot: "\"",
	$rArr: "⇒",
	$radic: "√",
	$rang: "⟩",
	raquo: "»",
	$rarr: "→",
	$rceil: "⌉",
	$rdquo: "”",
	$real: "ℜ",
	reg: "®",
	$rfloor: "⌋",
	$rho: "ρ",
	$rsaquo: "›",
	$rsquo: "’",
	$sbquo: "‚",
	$scaron: "š",
	$sdot: "⋅",
	sect: "§",
	shy: "­",
	$sigma: "σ",
	$sigmaf: "ς",
	$sim: "∼",
	$spades: "♠",
	$sub: "⊂",
	$sube: "⊆",
	$sum: "∑",
	$sup: "⊃",
	sup1: "¹",
	sup2: "²",
	sup3: "³",
	$supe: "⊇",
	szlig: "ß",
	$tau: "τ",
	$there4: "∴",
	$theta: "θ",
	$thetasym: "ϑ",
	thorn: "þ",
	$tilde: "˜",
	times: "×",
	$trade: "™",
	$uArr: "⇑",
	uacute: "ú",
	$uarr: "↑",
	ucirc: "û",
	ugrave: "ù",
	uml: "¨",
	$upsih: "ϒ",
	$upsilon: "υ",
	uuml: "ü",
	$weierp: "℘",
	$xi: "ξ",
	yacute: "ý",
	yen: "¥",
	yuml: "ÿ",
	$zeta: "ζ"
};
function lowerAscii(code) {
	return code >= 65 && code <= 90 ? code + 32 : code;
}
function isInsideHeading(depthMap) {
	for (let tagId = 7; tagId <= 12; tagId++) if (depthMap[tagId]) return true;
	return false;
}
function isInsideTableCell(state) {
	const depthMap = state.depthMap;
	return depthMap[32] > 0 || depthMap[31] > 0;
}
function schemeMatches(href, start, end, scheme) {
	let matched = 0;
	for (let index = start; index < end; index++) {
		const code = href.charCodeAt(index);
		if (code === 9 || code === 10 || code === 13) continue;
		if (lowerAscii(code) !== scheme.charCodeAt(matched)) return false;
		if (++matched === scheme.length) return true;
	}
	return false;
}
function isEmptyLinkHref(href) {
	let start = 0;
	while (start < href.length && href.charCodeAt(start) <= 32) start++;
	let end = href.length;
	while (end > start && href.charCodeAt(end - 1) <= 32) end--;
	switch (lowerAscii(href.charCodeAt(start))) {
		case 35: return end - start === 1;
		case 106: return schemeMatches(href, start, end, "javascript:");
		case 100: return schemeMatches(href, start, end, "data:");
		case 118: return schemeMatches(href, start, end, "vbscript:");
		default: return false;
	}
}
function isSafeHtmlUrl(href, image = false) {
	let start = 0;
	while (start < href.length && href.charCodeAt(start) <= 32) start++;
	let end = href.length;
	while (end > start && href.charCodeAt(end - 1) <= 32) end--;
	if (start === end) return false;
	for (let index = start; index < end; index++) {
		const code = href.charCodeAt(index);
		if (code === 9 || code === 10 || code === 13) continue;
		if (code === 58) switch (lowerAscii(href.charCodeAt(start))) {
			case 104: return schemeMatches(href, start, end, "http:") || schemeMatches(href, start, end, "https:");
			case 109: return !image && schemeMatches(href, start, end, "mailto:");
			case 116: return !image && schemeMatches(href, start, end, "tel:");
			case 102: return !image && schemeMatches(href, start, end, "ftp:");
			default: return false;
		}
		if (code === 47 || code === 63 || code === 35) return true;
		const lower = lowerAscii(code);
		if (!(lower >= 97 && lower <= 122 || code >= 48 && code <= 57 || code === 43 || code === 45 || code === 46)) return true;
	}
	return true;
}
function escapeHtml(value, attribute = false, protectMarkdown = false) {
	let escaped = "";
	let copiedUntil = 0;
	for (let index = 0; index < value.length; index++) {
		const code = value.charCodeAt(index);
		let replacement;
		if (code === 38) replacement = "&amp;";
		else if (code === 60) replacement = "&lt;";
		else if (code === 62) replacement = "&gt;";
		else if (attribute && code === 34) replacement = "&quot;";
		else if (protectMarkdown && code === 91) replacement = "&#91;";
		else if (protectMarkdown && code === 93) replacement = "&#93;";
		if (replacement !== void 0) {
			escaped += value.slice(copiedUntil, index) + replacement;
			copiedUntil = index + 1;
		}
	}
	return copiedUntil === 0 ? value : escaped + value.slice(copiedUntil);
}
function continuationPrefix(node, listIndentWidths, includeBlockquotes = true) {
	const chain = [];
	let current = node.parent;
	while (current) {
		chain.push(current);
		current = current.parent;
	}
	let prefix = "";
	let listIndex = 0;
	for (let i = chain.length - 1; i >= 0; i--) {
		const tagId = chain[i].tagId;
		if (tagId === 22 && includeBlockquotes) prefix += "> ";
		else if (tagId === 25) {
			prefix += " ".repeat(listIndentWidths[listIndex] ?? 2);
			listIndex++;
		}
	}
	return prefix;
}
const C1_REPLACEMENTS = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
function isAsciiAlphaNumeric(code) {
	return code >= 48 && code <= 57 || code >= 65 && code <= 90 || code >= 97 && code <= 122;
}
function isHtmlAsciiWhitespace(code) {
	return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}
const LANGUAGE_PREFIX = [
	108,
	97,
	110,
	103,
	117,
	97,
	103,
	101,
	45
];
function hasLanguagePrefix(value, start) {
	for (let offset = 0; offset < 9; offset++) if (value.charCodeAt(start + offset) !== LANGUAGE_PREFIX[offset]) return false;
	return true;
}
function isUnsafeFenceInfoCode(code) {
	if (code < 32 || code === 127) return true;
	return code === 34 || code === 39 || code === 38 || code === 60 || code === 62 || code === 96 || code === 126;
}
function getLanguageFromClass(className) {
	if (!className) return "";
	const length = className.length;
	let index = 0;
	while (index < length) {
		if (isHtmlAsciiWhitespace(className.charCodeAt(index))) {
			index++;
			continue;
		}
		const tokenStart = index;
		do
			index++;
		while (index < length && !isHtmlAsciiWhitespace(className.charCodeAt(index)));
		const tokenEnd = index;
		const languageStart = tokenStart + 9;
		if (languageStart >= tokenEnd || !hasLanguagePrefix(className, tokenStart)) continue;
		let valid = true;
		for (let cursor = languageStart; cursor < tokenEnd; cursor++) if (isUnsafeFenceInfoCode(className.charCodeAt(cursor))) {
			valid = false;
			break;
		}
		if (valid) return className.slice(languageStart, tokenEnd);
	}
	return "";
}
function parseUnsignedInteger(raw) {
	if (raw === void 0 || !/^[\t\n\f\r ]*\+?\d+[\t\n\f\r ]*$/.test(raw)) return void 0;
	const value = Number(raw);
	return value <= 4294967295 ? value : void 0;
}
function lastOutputChar(buffer, end = buffer.length) {
	for (let index = end - 1; index >= 0; index--) {
		const fragment = buffer[index];
		if (fragment.length > 0) return fragment.charCodeAt(fragment.length - 1);
	}
	return -1;
}
function blockOpenPrefix(buffer, prefix, end = buffer.length) {
	switch (lastOutputChar(buffer, end)) {
		case -1: return;
		case 32: {
			let fragment = end - 1;
			let index = buffer[fragment].length;
			for (;;) {
				if (index === 0) {
					if (--fragment < 0) return void 0;
					index = buffer[fragment].length;
					continue;
				}
				const code = buffer[fragment].charCodeAt(--index);
				if (code !== 32) return code === 10 || listMarkerLineStart(buffer, fragment, index) ? void 0 : `\n\n${prefix ?? ""}`;
			}
		}
		case 10: return prefix || void 0;
		default: return `\n\n${prefix ?? ""}`;
	}
}
function figcaptionOwnsBlockSpacing(node, plainText) {
	let parent = node.parent;
	while (parent) {
		if (parent.tagId === 32 || parent.tagId === 31) return false;
		if (!plainText && parent.tagId !== 37 && parent.tagHandler?.collapsesInnerWhiteSpace) return false;
		parent = parent.parent;
	}
	return true;
}
function listMarkerLineStart(buffer, fragmentIndex, markerIndex) {
	const marker = buffer[fragmentIndex].charCodeAt(markerIndex);
	const ordered = marker === 46 || marker === 41;
	if (!ordered && marker !== 45 && marker !== 42 && marker !== 43) return false;
	let digits = 0;
	let spaces = 0;
	let fragment = fragmentIndex;
	let cursor = markerIndex;
	for (;;) {
		if (cursor === 0) {
			if (--fragment < 0) return !ordered || digits > 0;
			cursor = buffer[fragment].length;
			continue;
		}
		const code = buffer[fragment].charCodeAt(--cursor);
		if (ordered && spaces === 0 && code >= 48 && code <= 57) {
			if (++digits > 9) return false;
			continue;
		}
		if (ordered && digits === 0) return false;
		if (code === 32) {
			if (++spaces > 3) return false;
			continue;
		}
		return code === 10;
	}
}
const MAX_ORDERED_START = 999999999;
function orderedItemNumber(list, index) {
	const raw = list?.attributes?.start;
	if (raw === void 0) return index + 1;
	const start = parseUnsignedInteger(raw);
	if (start === void 0 || start > MAX_ORDERED_START) return Math.min(1 + index, MAX_ORDERED_START);
	return Math.min(start + index, MAX_ORDERED_START);
}
function numericReplacement(codePoint) {
	if (codePoint === 0 || codePoint > 1114111 || codePoint >= 55296 && codePoint <= 57343) return "�";
	if (codePoint >= 128 && codePoint <= 159) return C1_REPLACEMENTS[codePoint - 128];
	return String.fromCodePoint(codePoint);
}
function isCharacterReferenceTail(text, start) {
	let index = start;
	if (text.charCodeAt(index) === 35) {
		index++;
		const hex = text.charCodeAt(index) === 120 || text.charCodeAt(index) === 88;
		if (hex) index++;
		const digitStart = index;
		while (index < text.length) {
			const code = text.charCodeAt(index);
			if (!(code >= 48 && code <= 57) && !(hex && (code >= 65 && code <= 70 || code >= 97 && code <= 102))) break;
			index++;
		}
		return index > digitStart && text.charCodeAt(index) === 59;
	}
	const nameStart = index;
	while (index < text.length && isAsciiAlphaNumeric(text.charCodeAt(index))) index++;
	return index > nameStart && text.charCodeAt(index) === 59;
}
function decodedReference(replacement, text, next, protectDecodedEntityReferences) {
	return replacement === "&" && protectDecodedEntityReferences && isCharacterReferenceTail(text, next) ? "\\&" : replacement;
}
function decodeHTMLEntities(text, inAttribute = false, protectDecodedEntityReferences = false) {
	let result = "";
	let i = 0;
	const len = text.length;
	while (i < len) {
		if (text.charCodeAt(i) !== 38) {
			const plainStart = i;
			while (i < len && text.charCodeAt(i) !== 38) i++;
			result += text.slice(plainStart, i);
			continue;
		}
		if (i + 2 < len && text.charCodeAt(i + 1) === 35) {
			let end = i + 2;
			const isHex = text.charCodeAt(end) === 120 || text.charCodeAt(end) === 88;
			if (isHex) end++;
			const digitStart = end;
			let codePoint = 0;
			while (end < len) {
				const code = text.charCodeAt(end);
				let digit = -1;
				if (code >= 48 && code <= 57) digit = code - 48;
				else if (isHex && code >= 65 && code <= 70) digit = code - 55;
				else if (isHex && code >= 97 && code <= 102) digit = code - 87;
				if (digit < 0) break;
				codePoint = codePoint * (isHex ? 16 : 10) + digit;
				end++;
			}
			if (end > digitStart) {
				result += decodedReference(numericReplacement(codePoint), text, text.charCodeAt(end) === 59 ? end + 1 : end, protectDecodedEntityReferences);
				if (text.charCodeAt(end) === 59) end++;
				i = end;
				continue;
			}
		}
		const nameStart = i + 1;
		let nameEnd = nameStart;
		const scanEnd = Math.min(len, nameStart + 8);
		while (nameEnd < scanEnd && isAsciiAlphaNumeric(text.charCodeAt(nameEnd))) nameEnd++;
		if (nameEnd > nameStart && text.charCodeAt(nameEnd) === 59) {
			const name = text.slice(nameStart, nameEnd);
			const direct = HTML_ENTITIES[name];
			const replacement = typeof direct === "string" ? direct : HTML_ENTITIES[`$${name}`];
			if (replacement !== void 0) {
				result += decodedReference(replacement, text, nameEnd + 1, protectDecodedEntityReferences);
				i = nameEnd + 1;
				continue;
			}
		}
		let legacyEnd = Math.min(nameEnd, nameStart + 6);
		let decodedLegacy = false;
		while (legacyEnd > nameStart) {
			const name = text.slice(nameStart, legacyEnd);
			const replacement = HTML_ENTITIES[name];
			if (typeof replacement === "string") {
				const next = text.charCodeAt(legacyEnd);
				if (replacement !== void 0 && !(inAttribute && (next === 61 || isAsciiAlphaNumeric(next)))) {
					result += decodedReference(replacement, text, legacyEnd, protectDecodedEntityReferences);
					i = legacyEnd;
					decodedLegacy = true;
				}
				break;
			}
			legacyEnd--;
		}
		if (decodedLegacy) continue;
		result += "&";
		i++;
	}
	return result;
}
function isInlineNode(node) {
	const isInline = node.tagHandler?.isInline;
	return isInline === void 0 ? node.tagId === -1 : isInline;
}
function traverseUpToFirstBlockNode(node) {
	let firstBlockParent = node;
	const parentsToIncrement = [firstBlockParent];
	while (isInlineNode(firstBlockParent)) {
		if (!firstBlockParent.parent) break;
		firstBlockParent = firstBlockParent.parent;
		parentsToIncrement.push(firstBlockParent);
	}
	return parentsToIncrement;
}
function markRenderedChildContent(node) {
	let parent = node.parent;
	let anchorInScope = false;
	while (parent) {
		parent.childTextNodeIndex = (parent.childTextNodeIndex || 0) + 1;
		if (parent.tagId === 26) anchorInScope = true;
		if (!isInlineNode(parent)) break;
		parent = parent.parent;
	}
	if (anchorInScope) return;
	let anchorFound = false;
	while (parent?.parent) {
		parent = parent.parent;
		if (!anchorFound) {
			if (parent.tagId !== 26) continue;
			anchorFound = true;
		}
		parent.childTextNodeIndex = (parent.childTextNodeIndex || 0) + 1;
		if (!isInlineNode(parent)) return;
	}
}
const TRACKING_PARAM_RE = /^(?:utm_|fbclid|gclid|mc_eid|msclkid|oly_)/;
const URL_SCHEME_RE = /^[A-Z][\dA-Z+.-]*:/i;
const SLASH_CHAR$1 = 47;
function stripTrackingParams(url) {
	const queryStart = url.indexOf("?");
	const fragmentStart = url.indexOf("#");
	if (queryStart === -1 || fragmentStart !== -1 && fragmentStart < queryStart) return url;
	const queryEnd = fragmentStart === -1 ? url.length : fragmentStart;
	const query = url.slice(queryStart + 1, queryEnd).split("&").filter((parameter) => !TRACKING_PARAM_RE.test(parameter)).join("&");
	return `${url.slice(0, queryStart)}${query ? `?${query}` : ""}${url.slice(queryEnd)}`;
}
function pathEnd(value, from) {
	const query = value.indexOf("?", from);
	const fragment = value.indexOf("#", from);
	if (query === -1) return fragment === -1 ? value.length : fragment;
	return fragment === -1 ? query : Math.min(query, fragment);
}
function hasDotSegment(path) {
	return path.includes(".") && (path === "." || path === ".." || path.startsWith("./") || path.startsWith("../") || path.includes("/./") || path.includes("/../") || path.endsWith("/.") || path.endsWith("/.."));
}
function mergeDotSegments(dir, rest) {
	let out = dir;
	let index = 0;
	for (;;) {
		let end = rest.indexOf("/", index);
		const last = end === -1;
		if (last) end = rest.length;
		const segment = rest.slice(index, end);
		if (segment === "..") out = out.slice(0, out.lastIndexOf("/", out.length - 2) + 1);
		else if (segment !== ".") out += last ? segment : `${segment}/`;
		if (last) return out;
		index = end + 1;
	}
}
let baseOrigin;
let baseRoot = "";
let basePath = "";
let baseDir = "";
function loadBase(origin) {
	if (origin !== baseOrigin) {
		baseOrigin = origin;
		baseRoot = "";
		const authority = origin.indexOf("://");
		if (authority !== -1) {
			const end = pathEnd(origin, authority + 3);
			const slash = origin.indexOf("/", authority + 3);
			const rootEnd = slash === -1 || slash > end ? end : slash;
			baseRoot = origin.slice(0, rootEnd);
			basePath = origin.slice(rootEnd, end);
			baseDir = basePath.slice(0, basePath.lastIndexOf("/") + 1) || "/";
		}
	}
	return baseRoot !== "";
}
function resolveAgainstBase(origin, url) {
	if (!loadBase(origin)) {
		let prefix = origin;
		while (prefix.endsWith("/")) prefix = prefix.slice(0, -1);
		const path = url.startsWith("./") ? url.slice(2) : url;
		return `${prefix}${path.charCodeAt(0) === SLASH_CHAR$1 ? "" : "/"}${path}`;
	}
	const end = pathEnd(url, 0);
	const path = url.slice(0, end);
	const suffix = end === url.length ? "" : url.slice(end);
	if (!path) return `${baseRoot}${basePath}${suffix}`;
	const dot = hasDotSegment(path);
	if (path.charCodeAt(0) === SLASH_CHAR$1) return `${baseRoot}${dot ? mergeDotSegments("/", path.slice(1)) : path}${suffix}`;
	return `${baseRoot}${dot ? mergeDotSegments(baseDir, path) : baseDir + path}${suffix}`;
}
function resolveUrl(url, origin, clean) {
	if (!url || url[0] === "#") return url;
	const isSlash = url.charCodeAt(0) === SLASH_CHAR$1;
	let resolved = url;
	if (isSlash && url.charCodeAt(1) === SLASH_CHAR$1) {
		let scheme = "https";
		if (origin && loadBase(origin)) scheme = baseRoot.slice(0, baseRoot.indexOf(":"));
		resolved = `${scheme}:${url}`;
	} else if (origin && (isSlash || !URL_SCHEME_RE.test(url))) resolved = resolveAgainstBase(origin, url);
	return (clean === true || !!clean && clean.urls === true) && resolved.includes("?") ? stripTrackingParams(resolved) : resolved;
}
function safeAnchorOutput(node, options, entering, protectMarkdown = false) {
	const href = node.attributes?.href;
	if (!href || !isSafeHtmlUrl(href)) return;
	const resolved = resolveUrl(href, options?.origin, options?.clean);
	if (!isSafeHtmlUrl(resolved)) return;
	if (!entering) return "</a>";
	return `<a href="${escapeHtml(resolved, true, protectMarkdown)}"${node.attributes?.title === void 0 ? "" : ` title="${escapeHtml(node.attributes.title, true, protectMarkdown)}"`}>`;
}
function serializeMarkdownDestination(destination) {
	if (!/[\t\n\f\r ()\\<>]/.test(destination)) return destination;
	return `<${/[\\<>]/.test(destination) ? destination.replace(/[\\<>]/g, "\\$&") : destination}>`;
}
function stripsEmptyLink(state, href) {
	const clean = state.options?.clean;
	if (!(clean === true || typeof clean === "object" && clean.emptyLinks)) return false;
	return isEmptyLinkHref(href);
}
function serializeMarkdownTitle(title) {
	return /[\\"]/.test(title) ? title.replace(/[\\"]/g, "\\$&") : title;
}
function serializeMarkdownResource(destination, title) {
	const serializedTitle = title ? ` "${serializeMarkdownTitle(title)}"` : "";
	return `(${serializeMarkdownDestination(destination)}${serializedTitle})`;
}
function serializeImageDescription(alt) {
	return /[\\[\]*_`~<&]/.test(alt) ? alt.replace(/[\\[\]*_`~<&]/g, "\\$&") : alt;
}
function isAutolinkUri(s) {
	if (!(s.startsWith("http://") || s.startsWith("https://") || s.startsWith("ftp://") || s.startsWith("mailto:"))) return false;
	for (let i = 0; i < s.length; i++) {
		const c = s.charCodeAt(i);
		if (c === 32 || c === 60 || c === 62 || c === 10 || c === 13 || c === 9) return false;
	}
	return true;
}
function renderBreak(node, state) {
	const depthMap = state.depthMap;
	if (isInsideTableCell(state) || isInsideRawHtmlBlock(depthMap) || isInsideHeading(depthMap)) return "<br>";
	if (depthMap[34] || depthMap[23]) return "\n";
	return `  \n${continuationPrefix(node, state.listIndentWidths || [], !state.bufferedBlockquoteDepth)}`;
}
const breakHandler = {
	enter: ({ node, state }) => renderBreak(node, state),
	isSelfClosing: true,
	spacing: NO_SPACING,
	collapsesInnerWhiteSpace: true,
	isInline: true
};
function escapeTrailingHeadingHashes(buffer) {
	let index = buffer.length - 1;
	while (index >= 0 && buffer[index] === "") index--;
	if (index < 0) return;
	const entry = buffer[index];
	let end = entry.length;
	while (end > 0 && (entry[end - 1] === " " || entry[end - 1] === "	")) end--;
	let run = end;
	while (run > 0 && entry[run - 1] === "#") run--;
	if (run === end) return;
	const previous = buffer[index - 1];
	const before = run > 0 ? entry[run - 1] : previous?.charAt(previous.length - 1);
	if (before !== " " && before !== "	") return;
	buffer[index] = `${entry.slice(0, run)}\\${entry.slice(run)}`;
}
const LINE_FRESH = -1;
const LINE_OPEN = 0;
const LINE_ROW = 1;
const LINE_CONTENT = 2;
function lineStateBeforeRow(buffer) {
	let fragment = buffer.length - 1;
	while (fragment >= 0 && buffer[fragment].length === 0) fragment--;
	if (fragment < 0) return LINE_OPEN;
	const tail = buffer[fragment];
	if (tail.charCodeAt(tail.length - 1) === 10) return LINE_FRESH;
	let firstNonSpace = -1;
	let markerFragment = -1;
	let markerIndex = -1;
	let cursor = tail.length;
	for (;;) {
		if (cursor === 0) {
			if (--fragment < 0) break;
			cursor = buffer[fragment].length;
			continue;
		}
		const code = buffer[fragment].charCodeAt(--cursor);
		if (code === 10) break;
		if (code !== 32 && code !== 9) {
			firstNonSpace = code;
			if (markerFragment < 0) {
				markerFragment = fragment;
				markerIndex = cursor;
			}
		}
	}
	if (firstNonSpace === -1) return LINE_OPEN;
	if (firstNonSpace === 124) return LINE_ROW;
	return listMarkerLineStart(buffer, markerFragment, markerIndex) ? LINE_OPEN : LINE_CONTENT;
}
function rowMarker(state) {
	const indent = state.listIndent;
	const lineState = lineStateBeforeRow(state.buffer);
	if (!indent) return lineState === LINE_ROW ? "\n| " : lineState === LINE_CONTENT ? "\n\n| " : "| ";
	switch (lineState) {
		case LINE_ROW: return `\n${indent}| `;
		case LINE_CONTENT: return `\n\n${indent}| `;
		case LINE_FRESH: return `${indent}| `;
		default: return "| ";
	}
}
const MAX_CELL_SPAN = 64;
function cellEnter(node, state) {
	if (node.index === 0) return "";
	const header = state.tableHeaderCells || 0;
	return header > 0 && (state.tableCurrentRowCells || 0) >= header ? " " : " | ";
}
function cellExit(node, state) {
	const parsedSpan = parseUnsignedInteger(node.attributes?.colspan);
	const span = parsedSpan && parsedSpan < 256 ? Math.min(parsedSpan, MAX_CELL_SPAN) : 1;
	state.tableCurrentRowCells += span;
	return span > 1 ? " |".repeat(span - 1) : void 0;
}
function handleHeading(depth) {
	return {
		enter: ({ state }) => {
			if ((state.depthMap?.[26] || 0) > 0 || isInsideTableCell(state)) return `<h${depth}>`;
			return `${"#".repeat(depth)} `;
		},
		exit: ({ state }) => {
			if ((state.depthMap?.[26] || 0) > 0 || isInsideTableCell(state)) return `</h${depth}>`;
			escapeTrailingHeadingHashes(state.buffer);
		},
		collapsesInnerWhiteSpace: true
	};
}
const Strong = {
	enter: ({ state }) => {
		if ((state.depthMap?.[15] || 0) > 1) return "";
		return "**";
	},
	exit: ({ node, state }) => {
		if ((state.depthMap?.[15] || 0) + (node.tagId === 15 ? 1 : 0) > 1) return "";
		return "**";
	},
	collapsesInnerWhiteSpace: true,
	spacing: NO_SPACING,
	isInline: true
};
const Emphasis = {
	enter: ({ state }) => {
		if ((state.depthMap?.[17] || 0) > 1) return "";
		return "*";
	},
	exit: ({ node, state }) => {
		if ((state.depthMap?.[17] || 0) + (node.tagId === 17 ? 1 : 0) > 1) return "";
		return "*";
	},
	collapsesInnerWhiteSpace: true,
	spacing: NO_SPACING,
	isInline: true
};
const Strikethrough = {
	enter: () => "~~",
	exit: () => "~~",
	collapsesInnerWhiteSpace: true,
	spacing: NO_SPACING,
	isInline: true
};
const INERT_RAWTEXT = {
	isNonNesting: true,
	excludesTextNodes: true,
	spacing: NO_SPACING
};
const tagHandlers = {
	[1]: {
		spacing: NO_SPACING,
		collapsesInnerWhiteSpace: true
	},
	[2]: {
		enter: () => "<details>",
		exit: ({ state }) => isInsideTableCell(state) ? "</details>" : "</details>\n\n"
	},
	[3]: {
		enter: () => "<summary>",
		exit: ({ state }) => isInsideTableCell(state) ? "</summary>" : "</summary>\n\n"
	},
	[4]: {
		collapsesInnerWhiteSpace: true,
		isNonNesting: true,
		spacing: NO_SPACING
	},
	[52]: {
		excludesTextNodes: true,
		isNonNesting: true
	},
	[53]: {
		isNonNesting: true,
		excludesTextNodes: true
	},
	[5]: {
		collapsesInnerWhiteSpace: true,
		isSelfClosing: true,
		spacing: NO_SPACING
	},
	[6]: breakHandler,
	[7]: handleHeading(1),
	[8]: handleHeading(2),
	[9]: handleHeading(3),
	[10]: handleHeading(4),
	[11]: handleHeading(5),
	[12]: handleHeading(6),
	[13]: {
		enter: ({ node, state }) => {
			if (isInsideTableCell(state)) return "<hr>";
			if (!(state.depthMap?.[25] || state.bufferedBlockquoteDepth)) return "---";
			const prefix = continuationPrefix(node, state.listIndentWidths || [], !state.bufferedBlockquoteDepth);
			if (!prefix) return "---";
			if (state.depthMap?.[25]) state.listRulePending = prefix;
			const open = blockOpenPrefix(state.buffer, prefix);
			return open === void 0 ? "***" : `${open}---`;
		},
		isSelfClosing: true
	},
	[14]: Strong,
	[15]: Strong,
	[16]: Emphasis,
	[17]: Emphasis,
	[18]: Strikethrough,
	[110]: Strikethrough,
	[111]: Strikethrough,
	[19]: {
		enter: () => "<sub>",
		exit: () => "</sub>",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[20]: {
		enter: () => "<sup>",
		exit: () => "</sup>",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[21]: {
		enter: () => "<ins>",
		exit: () => "</ins>",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[22]: {
		enter: ({ state }) => {
			return {
				_tag: "BlockquoteEnter",
				output: (state.depthMap?.[25] || 0) > 0 ? "\n" : void 0
			};
		},
		exit: () => ({ _tag: "BlockquoteExit" }),
		spacing: BLOCKQUOTE_SPACING
	},
	[34]: {
		enter: ({ node, state }) => {
			if (isInsideTableCell(state)) return "<pre>";
			return {
				_tag: "PreEnter",
				language: getLanguageFromClass(node.attributes?.class)
			};
		},
		exit: ({ state }) => {
			if (isInsideTableCell(state)) return "</pre>";
			return { _tag: "PreExit" };
		}
	},
	[23]: {
		enter: ({ node, state }) => {
			if ((state.depthMap?.[34] || 0) > 0) {
				if (isInsideTableCell(state)) return "<code>";
				if (state.preFenceOpen) return;
				const language = getLanguageFromClass(node.attributes?.class);
				if ((state.depthMap?.[25] || 0) > 0) {
					const indent = state.listIndent;
					return {
						_tag: "CodeFenceEnter",
						language,
						output: `${blockOpenPrefix(state.buffer, indent) ?? ""}\`\`\`${language}\n`
					};
				}
				return {
					_tag: "CodeFenceEnter",
					language,
					output: `\`\`\`${language}\n`
				};
			}
			if (isInsideRawHtmlBlock(state.depthMap)) return "<code>";
			if ((state.depthMap?.[25] || 0) > 0) {
				const lastEntry = state.buffer.at(-1);
				const lastChar = lastEntry?.charAt(lastEntry.length - 1) || "";
				if (lastChar && lastChar !== " " && lastChar !== "\n" && lastChar !== "	" && lastChar !== "*" && lastChar !== "_" && lastChar !== "~" && lastChar !== "[" && lastChar !== ">") return {
					_tag: "CodeSpanEnter",
					output: ` \``
				};
			}
			return {
				_tag: "CodeSpanEnter",
				output: "`"
			};
		},
		exit: ({ state }) => {
			if ((state.depthMap?.[34] || 0) > 0) {
				if (isInsideTableCell(state)) return "</code>";
				return;
			}
			if (isInsideRawHtmlBlock(state.depthMap)) return "</code>";
			return { _tag: "CodeSpanExit" };
		},
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[24]: {
		enter: ({ state }) => isInsideTableCell(state) ? "<ul>" : void 0,
		exit: ({ state }) => isInsideTableCell(state) ? "</ul>" : void 0
	},
	[33]: {
		enter: ({ state }) => isInsideTableCell(state) ? "<ol>" : void 0,
		exit: ({ state }) => isInsideTableCell(state) ? "</ol>" : void 0
	},
	[25]: {
		enter: ({ node, state }) => {
			if (isInsideTableCell(state)) return "<li>";
			const marker = node.parent?.tagId === 33 ? `${orderedItemNumber(node.parent, node.index)}. ` : "- ";
			return `${state.listIndent}${marker}`;
		},
		exit: ({ state }) => isInsideTableCell(state) ? "</li>" : void 0,
		spacing: LIST_ITEM_SPACING
	},
	[26]: {
		enter: ({ node, state }) => {
			if (node.attributes?.href !== void 0) {
				if (stripsEmptyLink(state, node.attributes.href)) return;
				if (isInsideRawHtmlBlock(state.depthMap)) return safeAnchorOutput(node, state.options, true, true);
				return "[";
			}
		},
		exit: ({ node, state }) => {
			if (node.attributes?.href === void 0) return "";
			if (stripsEmptyLink(state, node.attributes.href)) return "";
			if (isInsideRawHtmlBlock(state.depthMap) && !node.tagHandler?.literalEnter) return safeAnchorOutput(node, state.options, false, true);
			const href = resolveUrl(node.attributes.href, state.options?.origin, state.options?.clean);
			let title = node.attributes?.title;
			if (state.lastContentCache === title) title = "";
			if (!title && isAutolinkUri(href)) {
				const buf = state.buffer;
				let i = buf.length - 1;
				let textLen = 0;
				let captionBracket = -1;
				let captionTextLen = 0;
				while (i >= 0) {
					const entry = buf[i];
					if (entry === "[") break;
					if (captionBracket < 0 && state.depthMap?.[106] && entry.endsWith("*[")) {
						captionBracket = i;
						captionTextLen = textLen;
					}
					textLen += entry.length;
					i--;
				}
				const captionLink = i < 0 && captionBracket >= 0;
				if (captionLink) {
					i = captionBracket;
					textLen = captionTextLen;
				}
				if (i >= 0 && textLen === href.length && buf.slice(i + 1).join("") === href) {
					if (captionLink) buf[i] = buf[i].slice(0, -1);
					buf.length = i + (captionLink ? 1 : 0);
					const auto = `<${href}>`;
					buf.push(auto);
					state.lastContentCache = auto;
					return "";
				}
			}
			return `]${serializeMarkdownResource(href, title)}`;
		},
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[27]: {
		enter: ({ node, state }) => {
			const alt = node.attributes?.alt || "";
			const src = resolveUrl(node.attributes?.src || "", state.options?.origin, state.options?.clean);
			const clean = state.options?.clean;
			if ((clean === true || clean !== void 0 && clean !== false && clean.emptyImages === true) && !alt.trim()) {
				if (state.depthMap?.[106]) return void 0;
			} else markRenderedChildContent(node);
			return `![${serializeImageDescription(alt)}]${serializeMarkdownResource(src, node.attributes?.title)}`;
		},
		collapsesInnerWhiteSpace: true,
		isSelfClosing: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[28]: {
		enter: ({ state }) => {
			if (isInsideTableCell(state)) return "<table>";
			if ((state.depthMap?.[28] || 0) <= 1) state.tableRenderedTable = false;
			state.tableColumnAlignments = [];
			state.tableHeaderCells = 0;
		},
		exit: ({ state }) => isInsideTableCell(state) ? "</table>" : void 0
	},
	[107]: { enter: ({ state }) => {
		if ((state.depthMap?.[25] || 0) === 0 || isInsideTableCell(state)) return void 0;
		return blockOpenPrefix(state.buffer, state.listIndent);
	} },
	[29]: {
		enter: ({ state }) => {
			if (isInsideTableCell(state)) return "<thead>";
		},
		exit: ({ state }) => isInsideTableCell(state) ? "</thead>" : void 0,
		spacing: TABLE_ROW_SPACING,
		excludesTextNodes: true
	},
	[30]: {
		enter: ({ state }) => {
			if (isInsideTableCell(state)) return "<tr>";
			state.tableCurrentRowCells = 0;
			return rowMarker(state);
		},
		exit: ({ state }) => {
			if (isInsideTableCell(state) || (state.depthMap?.[28] || 0) > 1) return "</tr>";
			if (!state.tableRenderedTable) {
				state.tableRenderedTable = true;
				const alignments = state.tableColumnAlignments;
				while (alignments.length < state.tableCurrentRowCells) alignments.push("");
				const alignmentMarkers = alignments.map((align) => {
					switch (align) {
						case "left": return ":---";
						case "center": return ":---:";
						case "right": return "---:";
						default: return "---";
					}
				});
				state.tableHeaderCells = alignments.length;
				return ` |\n${(state.depthMap?.[25] || 0) > 0 ? state.listIndent : ""}| ${alignmentMarkers.join(" | ")} |`;
			}
			return " |";
		},
		excludesTextNodes: true,
		spacing: TABLE_ROW_SPACING
	},
	[31]: {
		enter: ({ node, state }) => {
			if ((state.depthMap?.[28] || 0) > 1) return "<th>";
			const align = node.attributes?.align?.toLowerCase();
			if (align) state.tableColumnAlignments.push(align);
			else if (state.tableColumnAlignments.length <= state.tableCurrentRowCells) state.tableColumnAlignments.push("");
			return cellEnter(node, state);
		},
		exit: ({ node, state }) => {
			if ((state.depthMap?.[28] || 0) > 1) return "</th>";
			return cellExit(node, state);
		},
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING
	},
	[32]: {
		enter: ({ node, state }) => {
			if ((state.depthMap?.[28] || 0) > 1) return "<td>";
			return cellEnter(node, state);
		},
		exit: ({ node, state }) => {
			if ((state.depthMap?.[28] || 0) > 1) return "</td>";
			return cellExit(node, state);
		},
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING
	},
	[35]: { enter: ({ state }) => {
		if ((state.depthMap?.[25] || 0) > 0 && !isInsideTableCell(state)) {
			const lastEntry = state.buffer.at(-1);
			const lastChar = lastEntry?.charAt(lastEntry.length - 1) || "";
			if (lastChar && lastChar !== " " && lastChar !== "\n") return `\n\n${state.listIndent}`;
		}
	} },
	[36]: {},
	[37]: {
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[41]: {},
	[42]: {
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[43]: {
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[44]: { spacing: NO_SPACING },
	[45]: {
		enter: ({ state }) => {
			if ((state.depthMap?.[28] || 0) > 1) return "<center>";
		},
		exit: ({ state }) => {
			if ((state.depthMap?.[28] || 0) > 1) return "</center>";
		},
		spacing: NO_SPACING
	},
	[38]: {
		spacing: NO_SPACING,
		excludesTextNodes: true
	},
	[39]: {
		spacing: TABLE_ROW_SPACING,
		excludesTextNodes: true
	},
	[46]: {
		enter: () => "`",
		exit: () => "`",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[47]: { spacing: NO_SPACING },
	[40]: { spacing: NO_SPACING },
	[54]: {
		isSelfClosing: true,
		spacing: NO_SPACING,
		collapsesInnerWhiteSpace: true,
		isInline: true
	},
	[55]: {
		isSelfClosing: true,
		spacing: NO_SPACING,
		isInline: true,
		collapsesInnerWhiteSpace: true
	},
	[56]: {
		isSelfClosing: true,
		spacing: NO_SPACING,
		isInline: true,
		collapsesInnerWhiteSpace: true
	},
	[57]: {
		isSelfClosing: true,
		spacing: NO_SPACING
	},
	[58]: {
		isSelfClosing: true,
		spacing: NO_SPACING
	},
	[59]: {
		isSelfClosing: true,
		spacing: NO_SPACING,
		isInline: true,
		collapsesInnerWhiteSpace: true
	},
	[60]: {
		isSelfClosing: true,
		spacing: NO_SPACING,
		isInline: true,
		collapsesInnerWhiteSpace: true
	},
	[61]: {
		isSelfClosing: true,
		spacing: NO_SPACING
	},
	[62]: {
		isSelfClosing: true,
		spacing: NO_SPACING
	},
	[63]: {
		isSelfClosing: true,
		spacing: NO_SPACING
	},
	[64]: {
		isSelfClosing: true,
		spacing: NO_SPACING,
		isInline: true,
		collapsesInnerWhiteSpace: true
	},
	[49]: { spacing: NO_SPACING },
	[65]: { spacing: NO_SPACING },
	[66]: {
		isNonNesting: true,
		spacing: NO_SPACING
	},
	[67]: { spacing: NO_SPACING },
	[109]: { spacing: NO_SPACING },
	[68]: { spacing: NO_SPACING },
	[69]: { spacing: NO_SPACING },
	[70]: { spacing: NO_SPACING },
	[71]: { spacing: NO_SPACING },
	[72]: { spacing: NO_SPACING },
	[73]: { ...INERT_RAWTEXT },
	[74]: { spacing: NO_SPACING },
	[75]: { spacing: NO_SPACING },
	[76]: { spacing: NO_SPACING },
	[77]: { spacing: NO_SPACING },
	[78]: {
		excludesTextNodes: true,
		spacing: NO_SPACING
	},
	[79]: {
		enter: () => "",
		exit: () => "",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[80]: {
		enter: () => "<mark>",
		exit: () => "</mark>",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[81]: {
		enter: () => "\"",
		exit: () => "\"",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[82]: {
		enter: () => "`",
		exit: () => "`",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[83]: {
		enter: () => "",
		exit: () => "",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[84]: { ...INERT_RAWTEXT },
	[112]: { ...INERT_RAWTEXT },
	[108]: {
		isNonNesting: true,
		excludesTextNodes: true,
		spacing: NO_SPACING
	},
	[85]: { ...INERT_RAWTEXT },
	[86]: {
		isNonNesting: true,
		spacing: NO_SPACING
	},
	[87]: {
		isNonNesting: true,
		spacing: NO_SPACING
	},
	[88]: { spacing: NO_SPACING },
	[89]: {
		enter: () => {
			return "<u>";
		},
		exit: () => {
			return "</u>";
		},
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[90]: {
		enter: () => "*",
		exit: () => "*",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[91]: {
		enter: () => "**",
		exit: () => "**",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[92]: {
		enter: () => "`",
		exit: () => "`",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[93]: {
		enter: () => "",
		exit: () => "",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[94]: {
		enter: () => "",
		exit: () => "",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[95]: {
		enter: () => "",
		exit: () => "",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[96]: {
		enter: () => "",
		exit: () => "",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[97]: {
		enter: () => "",
		exit: () => "",
		collapsesInnerWhiteSpace: true,
		spacing: NO_SPACING,
		isInline: true
	},
	[100]: {
		enter: () => "<address>",
		exit: () => "</address>",
		spacing: NO_SPACING,
		collapsesInnerWhiteSpace: true
	},
	[101]: {
		spacing: NO_SPACING,
		enter: () => "<dl>",
		exit: () => "</dl>"
	},
	[99]: {
		enter: () => "<dt>",
		exit: () => "</dt>",
		collapsesInnerWhiteSpace: true,
		spacing: [0, 1]
	},
	[98]: {
		enter: () => "<dd>",
		exit: () => "</dd>",
		spacing: [0, 1]
	},
	[50]: {},
	[51]: {},
	[105]: {},
	[104]: {},
	[102]: {},
	[106]: {
		exit: () => "*",
		collapsesInnerWhiteSpace: true,
		isInline: true
	}
};
function buildTagOverrideHandlers(overrides) {
	const result = new Map();
	for (const tagName in overrides) {
		const override = overrides[tagName];
		if (!override) continue;
		if (typeof override === "string") {
			const targetId = TagIdMap[override];
			if (targetId !== void 0) {
				const baseHandler = tagHandlers[targetId];
				if (baseHandler) result.set(tagName, {
					...baseHandler,
					aliasTagId: targetId
				});
			}
		} else {
			const baseId = TagIdMap[tagName];
			const baseHandler = baseId !== void 0 ? tagHandlers[baseId] : void 0;
			const handler = baseHandler ? { ...baseHandler } : {};
			if (override.enter !== void 0) {
				const enterStr = override.enter;
				handler.enter = () => enterStr;
				handler.literalEnter = true;
			}
			if (override.exit !== void 0) {
				const exitStr = override.exit;
				handler.exit = () => exitStr;
				handler.literalExit = true;
			}
			if (override.spacing !== void 0) handler.spacing = override.spacing;
			if (override.isInline !== void 0) handler.isInline = override.isInline;
			if (override.isSelfClosing !== void 0) handler.isSelfClosing = override.isSelfClosing;
			if (override.collapsesInnerWhiteSpace !== void 0) handler.collapsesInnerWhiteSpace = override.collapsesInnerWhiteSpace;
			result.set(tagName, handler);
		}
	}
	return result;
}
const LT_CHAR = 60;
const GT_CHAR = 62;
const SLASH_CHAR = 47;
const EQUALS_CHAR = 61;
const QUOTE_CHAR = 34;
const APOS_CHAR = 39;
const EXCLAMATION_CHAR = 33;
const QUESTION_CHAR = 63;
const AMPERSAND_CHAR = 38;
const DASH_CHAR = 45;
const SPACE_CHAR = 32;
const TAB_CHAR = 9;
const NEWLINE_CHAR = 10;
const FORM_FEED_CHAR = 12;
const CARRIAGE_RETURN_CHAR = 13;
const OPEN_BRACKET_CHAR = 91;
const ATTRIBUTE_GAP = 0;
const ATTRIBUTE_NAME = 1;
const ATTRIBUTE_AFTER_NAME = 2;
const ATTRIBUTE_BEFORE_VALUE = 3;
const ATTRIBUTE_QUOTED_VALUE = 4;
const ATTRIBUTE_UNQUOTED_VALUE = 5;
function isAsciiAlpha(code) {
	return code >= 65 && code <= 90 || code >= 97 && code <= 122;
}
function shouldProtectDecodedEntityReferences(state) {
	const depthMap = state.depthMap;
	return !state.plainText && !depthMap[34] && !depthMap[23] && !isInsideRawHtmlBlock(depthMap);
}
const SCRIPT_DATA = 0;
const SCRIPT_DATA_ESCAPED = 1;
const SCRIPT_DATA_ESCAPED_DASH = 2;
const SCRIPT_DATA_ESCAPED_DASH_DASH = 3;
const SCRIPT_DATA_DOUBLE_ESCAPED = 4;
const SCRIPT_DATA_DOUBLE_ESCAPED_DASH = 5;
const SCRIPT_DATA_DOUBLE_ESCAPED_DASH_DASH = 6;
const SCRIPT_SEQUENCE_NO_MATCH = -1;
const SCRIPT_SEQUENCE_INCOMPLETE = -2;
const SCRIPT_SCAN_COMPLETE = -1;
const MAX_ELEMENT_DEPTH = 512;
const HEAD_CONTENT_TAGS = new Set([
	4,
	5,
	54,
	56,
	53,
	52,
	84,
	78
]);
const CLOSES_P = (() => {
	const t = new Uint8Array(113);
	for (const id of [
		36,
		35,
		24,
		33,
		101,
		25,
		98,
		99,
		28,
		7,
		8,
		9,
		10,
		11,
		12,
		22,
		51,
		50,
		105,
		47,
		41,
		88,
		34,
		13,
		40,
		68,
		102,
		106,
		100,
		104,
		45,
		2,
		3,
		75
	]) t[id] = 1;
	return t;
})();
const NEEDS_IMPLIED_END_RECOVERY = (() => {
	const t = CLOSES_P.slice();
	for (const id of [
		26,
		32,
		31,
		30,
		29,
		38,
		39,
		67,
		109,
		65
	]) t[id] = 1;
	return t;
})();
const P_SCOPE_BOUNDARY = new Set([
	43,
	32,
	31,
	107,
	28,
	78,
	0,
	24,
	33,
	101,
	25
]);
const LI_SCOPE_BOUNDARY = new Set([
	24,
	33,
	28,
	32,
	31,
	107,
	78,
	0
]);
const DL_SCOPE_BOUNDARY = new Set([
	101,
	24,
	33,
	25,
	28,
	32,
	31,
	107,
	78,
	0
]);
const CELL_SCOPE_BOUNDARY = new Set([
	30,
	29,
	38,
	39,
	28,
	107,
	78,
	0
]);
const A_SCOPE_BOUNDARY = new Set([
	35,
	36,
	25,
	24,
	33,
	101,
	98,
	99,
	28,
	32,
	31,
	30,
	107,
	22,
	51,
	50,
	105,
	47,
	41,
	88,
	104,
	40,
	68,
	102,
	43,
	7,
	8,
	9,
	10,
	11,
	12,
	78,
	0
]);
const HEADINGS = new Set([
	7,
	8,
	9,
	10,
	11,
	12
]);
const SINGLE_P = new Set([35]);
const SINGLE_LI = new Set([25]);
const SINGLE_A = new Set([26]);
const DT_DD = new Set([99, 98]);
const TD_TH = new Set([32, 31]);
const TR_CELLS = new Set([
	32,
	31,
	30
]);
const SECTION_CELLS = new Set([
	32,
	31,
	30,
	29,
	38,
	39,
	107
]);
function closeImpliedTo(state, target, boundary, handleEvent) {
	if (state.flattenedTagName) {
		const id = state.flattenedTagId;
		if (id !== void 0 && target.has(id)) {
			clearFlattenedElements(state);
			return;
		}
		if (id !== void 0 && boundary.has(id)) return;
	}
	let found = false;
	for (let node = state.currentNode; node; node = node.parent) {
		const id = node.tagId;
		if (id !== void 0 && target.has(id)) {
			found = true;
			break;
		}
		if (id !== void 0 && boundary.has(id)) break;
	}
	if (!found) return;
	clearFlattenedElements(state);
	while (state.currentNode) {
		const id = state.currentNode.tagId;
		const isTarget = id !== void 0 && target.has(id);
		closeNode(state.currentNode, state, handleEvent);
		if (isTarget) break;
	}
}
function closeTableContext(state, closeable, handleEvent) {
	if (state.flattenedTagName) {
		const id = state.flattenedTagId;
		if (id === void 0 || !closeable.has(id)) return;
		clearFlattenedElements(state);
	}
	let closeCount = 0;
	let walked = 0;
	for (let node = state.currentNode; node; node = node.parent) {
		const id = node.tagId;
		if (id !== void 0 && closeable.has(id)) {
			walked++;
			closeCount = walked;
		} else if (id === 28 || id === 78 || id === 107) break;
		else walked++;
	}
	for (let i = 0; i < closeCount && state.currentNode; i++) closeNode(state.currentNode, state, handleEvent);
}
function closeSelectTo(state, targetId, handleEvent) {
	if (state.flattenedTagName) {
		const id = state.flattenedTagId;
		if (id === targetId) {
			clearFlattenedElements(state);
			return true;
		}
		if (id === 65 && targetId !== 65 || id === 78) return false;
	}
	let target;
	for (let node = state.currentNode; node; node = node.parent) {
		if (node.tagId === targetId) {
			target = node;
			break;
		}
		if (node.tagId === 65 || node.tagId === 78) break;
	}
	if (!target) return false;
	clearFlattenedElements(state);
	while (state.currentNode && state.currentNode !== target) closeNode(state.currentNode, state, handleEvent);
	closeNode(target, state, handleEvent);
	return true;
}
function parserTagDepth(state, tagId) {
	return (state.depthMap[tagId] || 0) + (state.flattenedTagId === tagId ? state.flattenedTagDepth || 0 : 0);
}
function parserLastTagId(state) {
	return state.flattenedTagName ? state.flattenedTagId : state.currentNode?.tagId;
}
function popParserTop(state, handleEvent) {
	if (state.flattenedTagName) clearFlattenedElements(state);
	else closeNode(state.currentNode, state, handleEvent);
}
function findIncompleteTagResidualIndex(leftover) {
	let index = leftover.indexOf("<");
	while (index !== -1) {
		if (index + 1 === leftover.length) return index;
		const c = leftover.charCodeAt(index + 1);
		if (isAsciiAlpha(c) || c === SLASH_CHAR || c === EXCLAMATION_CHAR || c === QUESTION_CHAR) return index;
		index = leftover.indexOf("<", index + 1);
	}
	return -1;
}
function finalizeParse(leftover, state, handleEvent) {
	if (state.currentNode && isScriptElement(state.currentNode)) {
		pushScriptTextChunk(state, leftover);
		const scriptText = takeScriptText(state);
		if (scriptText) processTextBuffer(scriptText, state, handleEvent);
	} else if (leftover.length > 0) {
		const incompleteTagIndex = findIncompleteTagResidualIndex(leftover);
		const text = incompleteTagIndex === -1 ? leftover : leftover.slice(0, incompleteTagIndex);
		if (text) processTextBuffer(text, state, handleEvent);
	}
	while (state.currentNode) closeNode(state.currentNode, state, handleEvent);
}
const EMPTY_ATTRIBUTES = Object.freeze({});
var ParsedElementNode = class {
	type = 1;
	name;
	attributes;
	parent;
	depth;
	index;
	tagId;
	tagHandler;
	currentWalkIndex;
	childTextNodeIndex;
	containsWhitespace;
	pluginOutput;
	context;
	cachedDepthMap;
	constructor(name, attributes, parent, depth, index, tagId, tagHandler) {
		this.name = name;
		this.attributes = attributes;
		this.parent = parent;
		this.depth = depth;
		this.index = index;
		this.tagId = tagId;
		this.tagHandler = tagHandler;
	}
	get depthMap() {
		if (this.cachedDepthMap) return this.cachedDepthMap;
		const depthMap = new Uint16Array(113);
		if (this.tagId >= 0 && this.tagId < 113) depthMap[this.tagId] = 1;
		let node = this.parent;
		while (node) {
			const tagId = node.tagId;
			if (tagId !== void 0 && tagId >= 0 && tagId < 113) depthMap[tagId] = (depthMap[tagId] || 0) + 1;
			node = node.parent;
		}
		this.cachedDepthMap = depthMap;
		return depthMap;
	}
};
function isWhitespace(charCode) {
	return charCode === SPACE_CHAR || charCode === TAB_CHAR || charCode === NEWLINE_CHAR || charCode === FORM_FEED_CHAR || charCode === CARRIAGE_RETURN_CHAR;
}
function scriptSequenceEnd(html, nameStart) {
	const name = "script";
	for (let offset = 0; offset < 6; offset++) {
		const index = nameStart + offset;
		if (index >= html.length) return SCRIPT_SEQUENCE_INCOMPLETE;
		if ((html.charCodeAt(index) | 32) !== name.charCodeAt(offset)) return SCRIPT_SEQUENCE_NO_MATCH;
	}
	const delimiterIndex = nameStart + 6;
	if (delimiterIndex >= html.length) return SCRIPT_SEQUENCE_INCOMPLETE;
	const delimiter = html.charCodeAt(delimiterIndex);
	return delimiter === GT_CHAR || delimiter === SLASH_CHAR || isWhitespace(delimiter) ? delimiterIndex + 1 : SCRIPT_SEQUENCE_NO_MATCH;
}
function isScriptElement(node) {
	return node.tagId === 52 && node.name === "script";
}
function scriptScanResult(parseState, scriptState, result) {
	parseState.scriptDataState = scriptState;
	return result;
}
function findScriptEndTag(html, start, parseState) {
	let state = parseState.scriptDataState ?? SCRIPT_DATA;
	let i = start;
	while (i < html.length) {
		const charCode = html.charCodeAt(i);
		if (charCode === LT_CHAR) {
			if (i + 1 === html.length) return scriptScanResult(parseState, state, -i - 2);
			const next = html.charCodeAt(i + 1);
			if (state === SCRIPT_DATA) {
				if (next === SLASH_CHAR) {
					const sequenceEnd = scriptSequenceEnd(html, i + 2);
					if (sequenceEnd >= 0) return scriptScanResult(parseState, state, i);
					if (sequenceEnd === SCRIPT_SEQUENCE_INCOMPLETE) return scriptScanResult(parseState, state, -i - 2);
				} else if (next === EXCLAMATION_CHAR) {
					const marker = "<!--";
					const available = Math.min(html.length - i, 4);
					if (html.startsWith(marker.substring(0, available), i)) {
						if (available < 4) return scriptScanResult(parseState, state, -i - 2);
						state = SCRIPT_DATA_ESCAPED_DASH_DASH;
						i += 4;
						continue;
					}
				}
			} else {
				const escaped = state < SCRIPT_DATA_DOUBLE_ESCAPED;
				state = escaped ? SCRIPT_DATA_ESCAPED : SCRIPT_DATA_DOUBLE_ESCAPED;
				const isEndTag = next === SLASH_CHAR;
				if (isEndTag || escaped) {
					const sequenceEnd = scriptSequenceEnd(html, i + (isEndTag ? 2 : 1));
					if (sequenceEnd >= 0) {
						if (isEndTag) {
							if (escaped) return scriptScanResult(parseState, state, i);
							state = SCRIPT_DATA_ESCAPED;
						} else state = SCRIPT_DATA_DOUBLE_ESCAPED;
						i = sequenceEnd;
						continue;
					}
					if (sequenceEnd === SCRIPT_SEQUENCE_INCOMPLETE) return scriptScanResult(parseState, state, -i - 2);
				}
			}
		} else if (charCode === DASH_CHAR) {
			if (state === SCRIPT_DATA_ESCAPED || state === SCRIPT_DATA_ESCAPED_DASH) state++;
			else if (state === SCRIPT_DATA_DOUBLE_ESCAPED || state === SCRIPT_DATA_DOUBLE_ESCAPED_DASH) state++;
		} else if (state === SCRIPT_DATA_ESCAPED_DASH || state === SCRIPT_DATA_ESCAPED_DASH_DASH) state = charCode === GT_CHAR && state === SCRIPT_DATA_ESCAPED_DASH_DASH ? SCRIPT_DATA : SCRIPT_DATA_ESCAPED;
		else if (state === SCRIPT_DATA_DOUBLE_ESCAPED_DASH || state === SCRIPT_DATA_DOUBLE_ESCAPED_DASH_DASH) state = charCode === GT_CHAR && state === SCRIPT_DATA_DOUBLE_ESCAPED_DASH_DASH ? SCRIPT_DATA : SCRIPT_DATA_DOUBLE_ESCAPED;
		i++;
	}
	return scriptScanResult(parseState, state, SCRIPT_SCAN_COMPLETE);
}
function pushScriptTextChunk(state, text) {
	if (!text) return;
	(state.scriptTextChunks ??= []).push(text);
	state.textBufferContainsNonWhitespace = true;
	state.lastCharWasWhitespace = false;
	state.justClosedTag = false;
}
function scanScriptChunk(html, start, state) {
	const result = findScriptEndTag(html, start, state);
	if (result === SCRIPT_SCAN_COMPLETE) pushScriptTextChunk(state, html.substring(start));
	else if (result <= SCRIPT_SEQUENCE_INCOMPLETE) pushScriptTextChunk(state, html.substring(start, -result - 2));
	else pushScriptTextChunk(state, html.substring(start, result));
	return result;
}
function takeScriptText(state) {
	const chunks = state.scriptTextChunks;
	const text = chunks?.length ? chunks.length === 1 ? chunks[0] : chunks.join("") : "";
	if (chunks) chunks.length = 0;
	state.scriptDataState = SCRIPT_DATA;
	return text;
}
function normalizeTagName(tagName) {
	for (let i = 0; i < tagName.length; i++) {
		const code = tagName.charCodeAt(i);
		if (code >= 65 && code <= 90) return tagName.toLowerCase();
	}
	return tagName;
}
function effectiveTagId(tagName, fallbackTagId, state) {
	return state.tagOverrideHandlers?.get(tagName)?.aliasTagId ?? fallbackTagId;
}
function matchesClosingTag(node, tagName, tagId, closingIsAlias) {
	if (node.tagId !== tagId) return false;
	if (tagId === -1) return node.name === tagName;
	const nodeIsAlias = node.tagHandler?.aliasTagId !== void 0;
	return node.name === tagName || !nodeIsAlias && !closingIsAlias;
}
function parseHtmlStream(html, state, onEvent) {
	return parseHtmlInternal(html, state, onEvent);
}
function parseHtmlInternal(htmlChunk, state, handleEvent) {
	let textBuffer = "";
	let runStart = 0;
	state.depthMap ??= new Uint16Array(113);
	state.depth ??= 0;
	state.lastCharWasWhitespace ??= true;
	state.justClosedTag ??= false;
	state.isFirstTextInElement ??= false;
	state.scriptDataState ??= SCRIPT_DATA;
	let i = 0;
	const chunkLength = htmlChunk.length;
	if (state.currentNode && isScriptElement(state.currentNode)) {
		const scanResult = scanScriptChunk(htmlChunk, i, state);
		if (scanResult < 0) return scanResult <= SCRIPT_SEQUENCE_INCOMPLETE ? htmlChunk.substring(-scanResult - 2) : "";
		textBuffer = takeScriptText(state);
		i = scanResult;
	}
	while (i < chunkLength) {
		const currentCharCode = htmlChunk.charCodeAt(i);
		if (currentCharCode !== LT_CHAR) {
			if (currentCharCode === AMPERSAND_CHAR) state.hasEncodedHtmlEntity = true;
			if (isWhitespace(currentCharCode)) {
				const inPreTag = (state.depthMap[34] || 0) > 0;
				if (state.justClosedTag) {
					state.justClosedTag = false;
					state.lastCharWasWhitespace = false;
				}
				if (!inPreTag && state.lastCharWasWhitespace) {
					if (textBuffer.length === 0) runStart = i + 1;
					i++;
					continue;
				}
				if (inPreTag) textBuffer += htmlChunk[i];
				else if (currentCharCode === SPACE_CHAR || !state.lastCharWasWhitespace) textBuffer += " ";
				state.lastCharWasWhitespace = true;
				state.textBufferContainsWhitespace = true;
			} else {
				state.textBufferContainsNonWhitespace = true;
				state.lastCharWasWhitespace = false;
				state.justClosedTag = false;
				textBuffer += htmlChunk[i];
			}
			i++;
			continue;
		}
		if (i + 1 >= chunkLength) {
			textBuffer += htmlChunk[i];
			break;
		}
		const nextCharCode = htmlChunk.charCodeAt(i + 1);
		if (state.flattenedRawTagName) {
			if (nextCharCode === SLASH_CHAR) {
				let peekEnd = i + 2;
				while (peekEnd < chunkLength) {
					const c = htmlChunk.charCodeAt(peekEnd);
					if (c === GT_CHAR || c === SLASH_CHAR || isWhitespace(c)) break;
					peekEnd++;
				}
				if (peekEnd === chunkLength) {
					textBuffer += htmlChunk.substring(i);
					break;
				}
				if (normalizeTagName(htmlChunk.substring(i + 2, peekEnd)) !== state.flattenedRawTagName) {
					textBuffer += htmlChunk[i++];
					continue;
				}
			} else {
				textBuffer += htmlChunk[i++];
				continue;
			}
		}
		if (nextCharCode === EXCLAMATION_CHAR) {
			if (htmlChunk.charCodeAt(i + 2) === OPEN_BRACKET_CHAR) {
				if (htmlChunk.startsWith("<![CDATA[", i)) {
					const end = htmlChunk.indexOf("]]>", i + 9);
					if (end === -1) {
						textBuffer += htmlChunk.substring(i);
						break;
					}
					if (textBuffer.length > 0) {
						processTextBuffer(textBuffer, state, handleEvent);
						textBuffer = "";
						runStart = i;
					}
					processCdataSection(htmlChunk.substring(i + 9, end), state, handleEvent);
					i = end + 3;
					runStart = i;
					continue;
				}
				if (chunkLength - i < 9 && "<![CDATA[".startsWith(htmlChunk.substring(i))) {
					textBuffer += htmlChunk.substring(i);
					break;
				}
			}
			if (textBuffer.length > 0) {
				processTextBuffer(textBuffer, state, handleEvent);
				textBuffer = "";
				runStart = i;
			}
			const result = processCommentOrDoctype(htmlChunk, i);
			if (result.complete) {
				i = result.newPosition;
				runStart = i;
			} else {
				textBuffer += result.remainingText;
				break;
			}
		} else if (nextCharCode === SLASH_CHAR) {
			if (state.currentNode?.tagHandler?.isNonNesting) {
				let peekEnd = i + 2;
				while (peekEnd < chunkLength) {
					const c = htmlChunk.charCodeAt(peekEnd);
					if (c === GT_CHAR || c === SLASH_CHAR || isWhitespace(c)) break;
					peekEnd++;
				}
				const peekTagName = normalizeTagName(htmlChunk.substring(i + 2, peekEnd));
				const peekHandler = state.tagOverrideHandlers?.get(peekTagName);
				const peekTagId = effectiveTagId(peekTagName, TagIdMap[peekTagName] ?? -1, state);
				if (!matchesClosingTag(state.currentNode, peekTagName, peekTagId, peekHandler?.aliasTagId !== void 0)) {
					textBuffer += htmlChunk[i++];
					continue;
				}
			}
			if (textBuffer.length > 0) {
				processTextBuffer(textBuffer, state, handleEvent);
				textBuffer = "";
				runStart = i;
			}
			const result = processClosingTag(htmlChunk, i, state, handleEvent);
			if (result.complete) {
				i = result.newPosition;
				runStart = i;
			} else {
				textBuffer += result.remainingText;
				break;
			}
		} else if (!isAsciiAlpha(nextCharCode) && nextCharCode !== QUESTION_CHAR) {
			state.textBufferContainsNonWhitespace = true;
			state.lastCharWasWhitespace = false;
			state.justClosedTag = false;
			textBuffer += htmlChunk[i++];
			continue;
		} else {
			let i2 = i + 1;
			const tagNameStart = i2;
			let tagNameEnd = -1;
			while (i2 < chunkLength) {
				const c = htmlChunk.charCodeAt(i2);
				if (isWhitespace(c) || c === SLASH_CHAR || c === GT_CHAR) {
					tagNameEnd = i2;
					break;
				}
				i2++;
			}
			if (tagNameEnd === -1) {
				textBuffer += htmlChunk.substring(i);
				break;
			}
			const rawTagName = htmlChunk.substring(tagNameStart, tagNameEnd);
			let tagName = rawTagName;
			if (typeof TagIdMap[tagName] !== "number") tagName = normalizeTagName(rawTagName);
			const mappedTagId = TagIdMap[tagName];
			const tagId = effectiveTagId(tagName, typeof mappedTagId === "number" ? mappedTagId : -1, state);
			i2 = tagNameEnd;
			if (state.currentNode?.tagHandler?.isNonNesting) {
				textBuffer += htmlChunk[i++];
				continue;
			}
			if (!tagName) {
				state.textBufferContainsNonWhitespace = true;
				state.lastCharWasWhitespace = false;
				state.justClosedTag = false;
				textBuffer += htmlChunk[i++];
				continue;
			}
			if (textBuffer.length > 0) {
				processTextBuffer(textBuffer, state, handleEvent);
				textBuffer = "";
				runStart = i;
			}
			const result = processOpeningTag(tagName, tagId, htmlChunk, i2, state, handleEvent);
			if (result.skip) {
				i = result.newPosition;
				runStart = i;
			} else if (result.complete) {
				i = result.newPosition;
				if (!result.selfClosing) {
					state.isFirstTextInElement = true;
					if (tagId === 52 && tagName === "script") {
						const scanResult = scanScriptChunk(htmlChunk, i, state);
						if (scanResult < 0) {
							if (scanResult <= SCRIPT_SEQUENCE_INCOMPLETE) {
								runStart = -scanResult - 2;
								textBuffer = htmlChunk.substring(runStart);
							} else textBuffer = "";
							break;
						}
						textBuffer = takeScriptText(state);
						i = scanResult;
					}
				}
				if (textBuffer.length === 0) runStart = i;
			} else {
				textBuffer += result.remainingText;
				break;
			}
		}
	}
	const remainingHtml = textBuffer.length > 0 ? htmlChunk.substring(runStart) : "";
	if (remainingHtml.length > 0 && isWhitespace(remainingHtml.charCodeAt(0))) state.lastCharWasWhitespace = false;
	return remainingHtml;
}
function processTextBuffer(textBuffer, state, handleEvent) {
	const containsNonWhitespace = state.textBufferContainsNonWhitespace;
	const containsWhitespace = state.textBufferContainsWhitespace;
	state.textBufferContainsNonWhitespace = false;
	state.textBufferContainsWhitespace = false;
	if (!state.currentNode) {
		let rootText = textBuffer;
		if (rootText.length === 0) return;
		if (state.hasEncodedHtmlEntity) {
			rootText = decodeHTMLEntities(String(rootText), false, shouldProtectDecodedEntityReferences(state));
			state.hasEncodedHtmlEntity = false;
		}
		const rootTextNode = {
			type: 2,
			value: rootText,
			parent: null,
			index: 0,
			depth: state.depth,
			containsWhitespace,
			excludedFromMarkdown: false
		};
		handleEvent({
			type: 0,
			node: rootTextNode
		});
		state.lastTextNode = rootTextNode;
		return;
	}
	const excludesTextNodes = (state.flattenedOpaqueDepth || 0) > 0 || state.flattenedRawExcludesText || state.currentNode?.tagHandler?.excludesTextNodes || state.currentNode?.excludedFromMarkdown;
	const inPreTag = (state.depthMap[34] || 0) > 0;
	if (!inPreTag && !containsNonWhitespace && !state.currentNode.childTextNodeIndex) return;
	let text = textBuffer;
	if (text.length === 0) return;
	const parentsToIncrement = traverseUpToFirstBlockNode(state.currentNode);
	const firstBlockParent = parentsToIncrement.at(-1);
	if (containsWhitespace && !firstBlockParent?.childTextNodeIndex) {
		let start = 0;
		while (start < text.length && (inPreTag ? text.charCodeAt(start) === NEWLINE_CHAR || text.charCodeAt(start) === CARRIAGE_RETURN_CHAR : isWhitespace(text.charCodeAt(start)))) start++;
		if (start > 0) text = text.substring(start);
	}
	if (state.hasEncodedHtmlEntity) {
		text = decodeHTMLEntities(String(text), false, shouldProtectDecodedEntityReferences(state));
		state.hasEncodedHtmlEntity = false;
	}
	const textNode = {
		type: 2,
		value: text,
		parent: state.currentNode,
		index: state.currentNode.currentWalkIndex++,
		depth: state.depth,
		containsWhitespace,
		excludedFromMarkdown: excludesTextNodes
	};
	for (const parent of parentsToIncrement) parent.childTextNodeIndex = (parent.childTextNodeIndex || 0) + 1;
	handleEvent({
		type: 0,
		node: textNode
	});
	state.lastTextNode = textNode;
}
function processClosingTag(htmlChunk, position, state, handleEvent) {
	let i = position + 2;
	const tagNameStart = i;
	const chunkLength = htmlChunk.length;
	let tagNameEnd = -1;
	let quoteChar = 0;
	let foundClose = false;
	while (i < chunkLength) {
		const charCode = htmlChunk.charCodeAt(i);
		if (tagNameEnd !== -1) {
			if (quoteChar) {
				if (charCode === quoteChar) quoteChar = 0;
				i++;
				continue;
			}
			if (charCode === QUOTE_CHAR || charCode === APOS_CHAR) {
				quoteChar = charCode;
				i++;
				continue;
			}
		}
		if (charCode === GT_CHAR) {
			foundClose = true;
			break;
		}
		if (tagNameEnd === -1 && (isWhitespace(charCode) || charCode === SLASH_CHAR)) tagNameEnd = i;
		i++;
	}
	if (!foundClose) return {
		complete: false,
		newPosition: position,
		remainingText: htmlChunk.substring(position)
	};
	const rawTagName = htmlChunk.substring(tagNameStart, tagNameEnd === -1 ? i : tagNameEnd);
	let tagName = rawTagName;
	if (typeof TagIdMap[tagName] !== "number") tagName = normalizeTagName(rawTagName);
	const tagHandler = state.tagOverrideHandlers?.get(tagName);
	const mappedTagId = TagIdMap[tagName];
	const tagId = effectiveTagId(tagName, typeof mappedTagId === "number" ? mappedTagId : -1, state);
	const closingIsAlias = tagHandler?.aliasTagId !== void 0;
	if ((state.flattenedOpaqueDepth || 0) > 0) {
		if (state.flattenedRawTagName !== void 0) {
			state.flattenedRawTagName = void 0;
			state.flattenedRawExcludesText = void 0;
		}
		if (tagName === state.flattenedOpaqueTagName) {
			state.flattenedOpaqueDepth--;
			if (!state.flattenedOpaqueDepth) {
				state.flattenedOpaqueTagName = void 0;
				if (tagName === state.flattenedTagName) {
					state.flattenedTagDepth--;
					if (!state.flattenedTagDepth) clearFlattenedElements(state);
				}
			}
		}
		state.justClosedTag = true;
		return {
			complete: true,
			newPosition: i + 1,
			remainingText: ""
		};
	}
	const stopAtTemplate = tagId !== 78 && (state.depthMap[78] || 0) > 0;
	let curr;
	if (state.flattenedTagName) {
		const closedRaw = state.flattenedRawTagName !== void 0;
		if (closedRaw) {
			state.flattenedRawTagName = void 0;
			state.flattenedRawExcludesText = void 0;
		}
		if (tagName === state.flattenedTagName) {
			state.flattenedTagDepth--;
			if (!state.flattenedTagDepth) clearFlattenedElements(state);
			state.justClosedTag = true;
			return {
				complete: true,
				newPosition: i + 1,
				remainingText: ""
			};
		}
		if (!closedRaw) {
			curr = state.currentNode;
			while (curr && !matchesClosingTag(curr, tagName, tagId, closingIsAlias)) {
				if (stopAtTemplate && curr.tagId === 78) {
					curr = null;
					break;
				}
				curr = curr.parent;
			}
			if (curr) clearFlattenedElements(state);
			else {
				state.justClosedTag = true;
				return {
					complete: true,
					newPosition: i + 1,
					remainingText: ""
				};
			}
		}
		if (closedRaw) {
			state.justClosedTag = true;
			return {
				complete: true,
				newPosition: i + 1,
				remainingText: ""
			};
		}
	}
	if (state.currentNode?.tagHandler?.isNonNesting && !matchesClosingTag(state.currentNode, tagName, tagId, closingIsAlias)) return {
		complete: false,
		newPosition: position,
		remainingText: htmlChunk.substring(position)
	};
	if (!curr) {
		curr = state.currentNode;
		while (curr && !matchesClosingTag(curr, tagName, tagId, closingIsAlias)) {
			if (stopAtTemplate && curr.tagId === 78) {
				curr = null;
				break;
			}
			curr = curr.parent;
		}
	}
	if (curr) {
		while (state.currentNode && state.currentNode !== curr) closeNode(state.currentNode, state, handleEvent);
		closeNode(curr, state, handleEvent);
	}
	state.justClosedTag = true;
	return {
		complete: true,
		newPosition: i + 1,
		remainingText: ""
	};
}
function closeNode(node, state, handleEvent) {
	if (!node) return;
	if (node.tagId === 26 && !node.childTextNodeIndex) {
		const prefix = node.attributes?.title || node.attributes?.["aria-label"] || "";
		if (prefix) {
			node.childTextNodeIndex = 1;
			handleEvent({
				type: 0,
				node: {
					type: 2,
					value: prefix,
					parent: node,
					index: 0,
					depth: node.depth + 1
				}
			});
			for (const parent of traverseUpToFirstBlockNode(node)) parent.childTextNodeIndex = (parent.childTextNodeIndex || 0) + 1;
		}
	}
	const tagId = node.tagId;
	if (tagId !== void 0 && tagId >= 0 && tagId < 113) state.depthMap[tagId] = Math.max(0, (state.depthMap[tagId] || 0) - 1);
	state.depth--;
	handleEvent({
		type: 1,
		node
	});
	state.currentNode = state.currentNode.parent;
	state.hasEncodedHtmlEntity = false;
	state.justClosedTag = true;
}
function clearFlattenedElements(state) {
	state.flattenedTagName = void 0;
	state.flattenedTagId = void 0;
	state.flattenedTagDepth = void 0;
	state.flattenedRawTagName = void 0;
	state.flattenedRawExcludesText = void 0;
}
function startsOpaqueFlattening(state, tagName, tagId, attributes, tagHandler) {
	if (tagId === 78) return true;
	const plugins = state.resolvedPlugins;
	if (!plugins) return false;
	let node;
	for (const plugin of plugins) {
		if (!plugin.excludesOverflowSubtree) continue;
		node ||= new ParsedElementNode(tagName, attributes, state.currentNode, state.depth + 1, 0, tagId, tagHandler);
		if (plugin.excludesOverflowSubtree(node)) return true;
	}
	return false;
}
function enterOpaqueFlattening(state, tagName, tagHandler) {
	state.flattenedOpaqueTagName = tagName;
	state.flattenedOpaqueDepth = 1;
	if (tagHandler?.isNonNesting) {
		state.flattenedRawTagName = tagName;
		state.flattenedRawExcludesText = tagHandler.excludesTextNodes;
	}
}
function processCommentOrDoctype(htmlChunk, position) {
	let i = position;
	const chunkLength = htmlChunk.length;
	if (i + 3 < chunkLength && htmlChunk.charCodeAt(i + 2) === DASH_CHAR && htmlChunk.charCodeAt(i + 3) === DASH_CHAR) {
		i += 4;
		if (i < chunkLength && htmlChunk.charCodeAt(i) === GT_CHAR) return {
			complete: true,
			newPosition: i + 1,
			remainingText: ""
		};
		if (i + 1 < chunkLength && htmlChunk.charCodeAt(i) === DASH_CHAR && htmlChunk.charCodeAt(i + 1) === GT_CHAR) return {
			complete: true,
			newPosition: i + 2,
			remainingText: ""
		};
		while (i + 2 < chunkLength) {
			const dash = htmlChunk.indexOf("-", i);
			if (dash < 0 || dash + 2 >= chunkLength) break;
			i = dash;
			if (htmlChunk.charCodeAt(i + 1) === DASH_CHAR) {
				const afterDashes = htmlChunk.charCodeAt(i + 2);
				if (afterDashes === GT_CHAR) return {
					complete: true,
					newPosition: i + 3,
					remainingText: ""
				};
				if (afterDashes === EXCLAMATION_CHAR && i + 3 < chunkLength && htmlChunk.charCodeAt(i + 3) === GT_CHAR) return {
					complete: true,
					newPosition: i + 4,
					remainingText: ""
				};
			}
			i++;
		}
		return {
			complete: false,
			newPosition: position,
			remainingText: htmlChunk.substring(position)
		};
	} else {
		i += 2;
		while (i < chunkLength) {
			if (htmlChunk.charCodeAt(i) === GT_CHAR) {
				i++;
				return {
					complete: true,
					newPosition: i,
					remainingText: ""
				};
			}
			i++;
		}
		return {
			complete: false,
			newPosition: i,
			remainingText: htmlChunk.substring(position, i)
		};
	}
}
function processCdataSection(content, state, handleEvent) {
	if (!state.tagOverrideHandlers?.has("#cdata-section")) return;
	const open = processOpeningTag("#cdata-section", -1, ">", 0, state, handleEvent);
	if (!open.complete || open.selfClosing || open.skip) return;
	const node = state.currentNode;
	if (content.length > 0 && !node.tagHandler?.excludesTextNodes) {
		const textNode = {
			type: 2,
			value: content,
			parent: node,
			index: node.currentWalkIndex++,
			depth: state.depth,
			containsWhitespace: false
		};
		for (const parent of traverseUpToFirstBlockNode(node)) parent.childTextNodeIndex = (parent.childTextNodeIndex || 0) + 1;
		handleEvent({
			type: 0,
			node: textNode
		});
		state.lastTextNode = textNode;
	}
	closeNode(state.currentNode ?? null, state, handleEvent);
}
function processOpeningTag(tagName, tagId, htmlChunk, i, state, handleEvent) {
	tagId = effectiveTagId(tagName, tagId, state);
	if (state.currentNode?.tagHandler?.isNonNesting) closeNode(state.currentNode, state, handleEvent);
	const tagHandler = state.tagOverrideHandlers?.get(tagName) ?? tagHandlers[tagId];
	const result = scanTagAttributes(htmlChunk, i, tagHandler);
	if (result._tag === "incomplete") return {
		complete: false,
		newPosition: i,
		remainingText: `<${tagName}${result.attrBuffer}`,
		selfClosing: false
	};
	if ((state.flattenedOpaqueDepth || 0) > 0) {
		if (!result.selfClosing && tagName === state.flattenedOpaqueTagName) state.flattenedOpaqueDepth++;
		if (!result.selfClosing && tagHandler?.isNonNesting) {
			state.flattenedRawTagName = tagName;
			state.flattenedRawExcludesText = tagHandler.excludesTextNodes;
		}
		return {
			complete: true,
			newPosition: result.newPosition,
			remainingText: "",
			selfClosing: result.selfClosing,
			skip: true
		};
	}
	if (!state.flattenedTagName && (state.depthMap[1] || 0) > 0 && (state.depthMap[78] || 0) === 0 && !HEAD_CONTENT_TAGS.has(tagId)) {
		while (state.currentNode && state.currentNode.tagId !== 1) closeNode(state.currentNode, state, handleEvent);
		const headNode = state.currentNode;
		if (headNode && headNode.tagId === 1) closeNode(headNode, state, handleEvent);
	}
	if (tagId >= 0 && tagId < 113 && NEEDS_IMPLIED_END_RECOVERY[tagId] === 1) {
		if (tagId === 65 && parserTagDepth(state, 65) > 0) {
			if (closeSelectTo(state, 65, handleEvent)) return {
				complete: true,
				newPosition: result.newPosition,
				remainingText: "",
				selfClosing: false,
				skip: true
			};
		} else if (tagId === 67) {
			if (parserTagDepth(state, 65) > 0) closeSelectTo(state, 67, handleEvent);
			else if (parserLastTagId(state) === 67) popParserTop(state, handleEvent);
		} else if (tagId === 109 && parserTagDepth(state, 65) > 0) {
			closeSelectTo(state, 67, handleEvent);
			closeSelectTo(state, 109, handleEvent);
		} else if (tagId === 26) {
			if (parserTagDepth(state, 26) > 0) closeImpliedTo(state, SINGLE_A, A_SCOPE_BOUNDARY, handleEvent);
		} else if (tagId === 32 || tagId === 31 || tagId === 30 || tagId === 29 || tagId === 38 || tagId === 39) {
			if (parserTagDepth(state, 28) > 0) {
				if (tagId === 32 || tagId === 31) {
					if (parserTagDepth(state, 32) > 0 || parserTagDepth(state, 31) > 0) closeImpliedTo(state, TD_TH, CELL_SCOPE_BOUNDARY, handleEvent);
				} else if (tagId === 30) {
					if (parserTagDepth(state, 30) > 0) closeTableContext(state, TR_CELLS, handleEvent);
				} else closeTableContext(state, SECTION_CELLS, handleEvent);
			}
		} else {
			if (parserTagDepth(state, 35) > 0) closeImpliedTo(state, SINGLE_P, P_SCOPE_BOUNDARY, handleEvent);
			if (HEADINGS.has(tagId)) {
				const topId = parserLastTagId(state);
				if (topId !== void 0 && HEADINGS.has(topId)) popParserTop(state, handleEvent);
			} else if (tagId === 25) {
				if (parserTagDepth(state, 25) > 0) closeImpliedTo(state, SINGLE_LI, LI_SCOPE_BOUNDARY, handleEvent);
			} else if (tagId === 99 || tagId === 98) {
				if (parserTagDepth(state, 99) > 0 || parserTagDepth(state, 98) > 0) closeImpliedTo(state, DT_DD, DL_SCOPE_BOUNDARY, handleEvent);
			}
		}
	}
	if (state.flattenedTagName && !result.selfClosing) {
		if (tagName === state.flattenedTagName) state.flattenedTagDepth++;
		if (startsOpaqueFlattening(state, tagName, tagId, result.attributes, tagHandler)) enterOpaqueFlattening(state, tagName, tagHandler);
		else if (tagHandler?.isNonNesting) {
			state.flattenedRawTagName = tagName;
			state.flattenedRawExcludesText = tagHandler.excludesTextNodes;
		}
		return {
			complete: true,
			newPosition: result.newPosition,
			remainingText: "",
			selfClosing: false,
			skip: true
		};
	}
	if (!result.selfClosing && state.depth >= MAX_ELEMENT_DEPTH) {
		state.flattenedTagName = tagName;
		state.flattenedTagId = tagId;
		state.flattenedTagDepth = 1;
		if (startsOpaqueFlattening(state, tagName, tagId, result.attributes, tagHandler)) enterOpaqueFlattening(state, tagName, tagHandler);
		else if (tagHandler?.isNonNesting) {
			state.flattenedRawTagName = tagName;
			state.flattenedRawExcludesText = tagHandler.excludesTextNodes;
		}
		return {
			complete: true,
			newPosition: result.newPosition,
			remainingText: "",
			selfClosing: false,
			skip: true
		};
	}
	if (tagId >= 0 && tagId < 113) state.depthMap[tagId] = (state.depthMap[tagId] || 0) + 1;
	state.depth++;
	i = result.newPosition;
	if (state.currentNode) state.currentNode.currentWalkIndex = state.currentNode.currentWalkIndex || 0;
	const currentWalkIndex = state.currentNode ? state.currentNode.currentWalkIndex++ : 0;
	const tag = new ParsedElementNode(tagName, result.attributes, state.currentNode, state.depth, currentWalkIndex, tagId, tagHandler);
	if (tagId === 78 || state.currentNode?.excludedFromMarkdown) tag.excludedFromMarkdown = true;
	state.lastTextNode = tag;
	handleEvent({
		type: 0,
		node: tag
	});
	const parentNode = tag;
	parentNode.currentWalkIndex = 0;
	state.currentNode = parentNode;
	state.hasEncodedHtmlEntity = false;
	if (result.selfClosing) {
		closeNode(tag, state, handleEvent);
		state.justClosedTag = true;
	} else state.justClosedTag = false;
	return {
		complete: true,
		newPosition: i,
		remainingText: "",
		selfClosing: result.selfClosing
	};
}
function setAttribute(attributes, rawName, rawValue) {
	if (!rawName) return attributes;
	const name = rawName.toLowerCase();
	if (Object.hasOwn(attributes, name)) return attributes;
	const result = attributes === EMPTY_ATTRIBUTES ? {} : attributes;
	result[name] = rawValue.includes("&") ? decodeHTMLEntities(rawValue, true) : rawValue;
	return result;
}
function scanAttributes(source, position, selfClosing, stopAtTagEnd) {
	const length = source.length;
	let attributes = EMPTY_ATTRIBUTES;
	let state = ATTRIBUTE_GAP;
	let nameStart = 0;
	let nameEnd = 0;
	let valueStart = 0;
	let quoteChar = 0;
	let newPosition = -1;
	let valueEnd = length;
	let i = position;
	while (i < length) {
		const charCode = source.charCodeAt(i);
		if (stopAtTagEnd && state !== ATTRIBUTE_QUOTED_VALUE) {
			if (state !== ATTRIBUTE_UNQUOTED_VALUE && charCode === SLASH_CHAR && i + 1 < length && source.charCodeAt(i + 1) === GT_CHAR) {
				selfClosing = true;
				valueEnd = i;
				newPosition = i + 2;
				break;
			}
			if (charCode === GT_CHAR) {
				valueEnd = i;
				newPosition = i + 1;
				break;
			}
		}
		const isSpace = isWhitespace(charCode);
		switch (state) {
			case ATTRIBUTE_GAP:
				if (!isSpace) {
					state = ATTRIBUTE_NAME;
					nameStart = i;
				}
				break;
			case ATTRIBUTE_NAME:
				if (charCode === EQUALS_CHAR || isSpace) {
					nameEnd = i;
					state = charCode === EQUALS_CHAR ? ATTRIBUTE_BEFORE_VALUE : ATTRIBUTE_AFTER_NAME;
				}
				break;
			case ATTRIBUTE_AFTER_NAME:
				if (charCode === EQUALS_CHAR) state = ATTRIBUTE_BEFORE_VALUE;
				else if (!isSpace) {
					attributes = setAttribute(attributes, source.substring(nameStart, nameEnd), "");
					state = ATTRIBUTE_NAME;
					nameStart = i;
				}
				break;
			case ATTRIBUTE_BEFORE_VALUE:
				if (charCode === QUOTE_CHAR || charCode === APOS_CHAR) {
					quoteChar = charCode;
					state = ATTRIBUTE_QUOTED_VALUE;
					valueStart = i + 1;
				} else if (!isSpace) {
					state = ATTRIBUTE_UNQUOTED_VALUE;
					valueStart = i;
				}
				break;
			case ATTRIBUTE_QUOTED_VALUE:
				if (charCode === quoteChar) {
					attributes = setAttribute(attributes, source.substring(nameStart, nameEnd), source.substring(valueStart, i));
					state = ATTRIBUTE_GAP;
				}
				break;
			case ATTRIBUTE_UNQUOTED_VALUE: if (isSpace || !stopAtTagEnd && charCode === GT_CHAR) {
				attributes = setAttribute(attributes, source.substring(nameStart, nameEnd), source.substring(valueStart, i));
				state = ATTRIBUTE_GAP;
			}
		}
		i++;
	}
	if (stopAtTagEnd && newPosition === -1) return {
		_tag: "incomplete",
		attrBuffer: source.substring(position)
	};
	switch (state) {
		case ATTRIBUTE_NAME:
			attributes = setAttribute(attributes, source.substring(nameStart, valueEnd), "");
			break;
		case ATTRIBUTE_AFTER_NAME:
		case ATTRIBUTE_BEFORE_VALUE:
			attributes = setAttribute(attributes, source.substring(nameStart, nameEnd), "");
			break;
		case ATTRIBUTE_QUOTED_VALUE:
		case ATTRIBUTE_UNQUOTED_VALUE: attributes = setAttribute(attributes, source.substring(nameStart, nameEnd), source.substring(valueStart, valueEnd));
	}
	return {
		_tag: "complete",
		newPosition: stopAtTagEnd ? newPosition : length,
		attributes,
		selfClosing
	};
}
function scanTagAttributes(htmlChunk, position, tagHandler) {
	return scanAttributes(htmlChunk, position, tagHandler?.isSelfClosing || false, true);
}
function parseLink(md, start) {
	const len = md.length;
	let j = start + 1;
	let depth = 1;
	while (j < len && depth > 0) {
		const c = md.charCodeAt(j);
		if (c === 91) depth++;
		else if (c === 93) depth--;
		j++;
	}
	if (depth !== 0) return null;
	const textEnd = j - 1;
	if (j >= len || md.charCodeAt(j) !== 40) return null;
	j++;
	const urlStart = j;
	let parenDepth = 1;
	while (j < len && parenDepth > 0) {
		const c = md.charCodeAt(j);
		if (c === 40) parenDepth++;
		else if (c === 41) parenDepth--;
		j++;
	}
	if (parenDepth !== 0) return null;
	const urlEnd = j - 1;
	return {
		text: md.slice(start + 1, textEnd),
		url: md.slice(urlStart, urlEnd),
		end: j
	};
}
function isEscaped(md, index) {
	const end = index;
	while (index > 0 && md.charCodeAt(index - 1) === 92) index--;
	return (end - index) % 2 !== 0;
}
function htmlTagEnd(md, start, lastGt) {
	if (start >= lastGt || isEscaped(md, start)) return -1;
	let i = start + 1;
	if (md.charCodeAt(i) === 47) i++;
	let code = md.charCodeAt(i);
	if (!(code >= 65 && code <= 90 || code >= 97 && code <= 122)) return -1;
	do {
		i++;
		code = md.charCodeAt(i);
	} while (code >= 65 && code <= 90 || code >= 97 && code <= 122 || code >= 48 && code <= 57 || code === 45);
	if (code !== 32 && code !== 9 && code !== 10 && code !== 13 && code !== 47 && code !== 62) return -1;
	let quote = 0;
	while (i < md.length) {
		code = md.charCodeAt(i);
		if (quote) {
			if (code === quote) quote = 0;
		} else if (code === 34 || code === 39) quote = code;
		else if (code === 62) return i + 1;
		else if (code === 60) return -1;
		i++;
	}
	return -1;
}
function slugify(text) {
	let slug = "";
	let lastWasDash = false;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);
		if (c >= 97 && c <= 122) {
			slug += text[i];
			lastWasDash = false;
		} else if (c >= 65 && c <= 90) {
			slug += String.fromCharCode(c + 32);
			lastWasDash = false;
		} else if (c >= 48 && c <= 57) {
			slug += text[i];
			lastWasDash = false;
		} else if (c === 95) {
			slug += "_";
			lastWasDash = false;
		} else if (c === 32 || c === 9 || c === 45) {
			if (!lastWasDash && slug.length > 0) {
				slug += "-";
				lastWasDash = true;
			}
		}
	}
	if (lastWasDash) slug = slug.slice(0, -1);
	return slug;
}
function stripHeadingFormatting(text) {
	let result = "";
	const len = text.length;
	const lastGt = text.lastIndexOf(">");
	let firstTickLength = 0;
	let firstTickLast = 0;
	let otherTickLasts;
	if (text.includes("`")) {
		let scan = 0;
		while (scan < len) {
			let code = text.charCodeAt(scan);
			if (code === 96) {
				const start = scan;
				do {
					scan++;
					code = text.charCodeAt(scan);
				} while (code === 96);
				const ticks = scan - start;
				if (firstTickLength === 0) {
					firstTickLength = ticks;
					firstTickLast = start;
				} else if (ticks === firstTickLength) firstTickLast = start;
				else {
					otherTickLasts ||= new Map();
					otherTickLasts.set(ticks, start);
				}
			} else if (code === 60) {
				const tagEnd = htmlTagEnd(text, scan, lastGt);
				scan = tagEnd === -1 ? scan + 1 : tagEnd;
			} else scan++;
		}
	}
	let i = 0;
	let codeTicks = 0;
	while (i < len) {
		const c = text.charCodeAt(i);
		if (c === 96) {
			let end = i + 1;
			while (text.charCodeAt(end) === 96) end++;
			const ticks = end - i;
			if (codeTicks === 0) {
				if ((ticks === firstTickLength ? firstTickLast : otherTickLasts?.get(ticks) ?? i) > i) codeTicks = ticks;
			} else if (codeTicks === ticks) codeTicks = 0;
			i = end;
			continue;
		}
		if (codeTicks !== 0) {
			result += text[i];
			i++;
			continue;
		}
		if (c === 92 && i + 1 < len) {
			result += text[i + 1];
			i += 2;
			continue;
		}
		const tagEnd = c === 60 ? htmlTagEnd(text, i, lastGt) : -1;
		if (tagEnd !== -1) {
			i = tagEnd;
			continue;
		}
		if (c === 91) {
			const link = parseLink(text, i);
			if (link) {
				result += link.text;
				i = link.end;
				continue;
			}
		}
		if (c === 42 || c === 95 || c === 126) {
			i++;
			continue;
		}
		result += text[i];
		i++;
	}
	return result.trim();
}
function createHtmlOutputState() {
	return { frames: [] };
}
function slugifyHeading(text) {
	return slugify(stripHeadingFormatting(text));
}
function tagName(node, tagId) {
	switch (tagId) {
		case 14:
		case 15: return "strong";
		case 16:
		case 17: return "em";
		case 18:
		case 110:
		case 111: return "del";
	}
	if (!(tagId === 2 || tagId === 3 || tagId >= 14 && tagId <= 26 || tagId >= 28 && tagId <= 33 || tagId >= 35 && tagId <= 39 || tagId === 41 || tagId >= 46 && tagId <= 47 || tagId >= 50 && tagId <= 51 || tagId >= 79 && tagId <= 83 || tagId >= 88 && tagId <= 93 || tagId >= 95 && tagId <= 102 || tagId >= 104 && tagId <= 107)) return;
	if (node.tagHandler?.aliasTagId === void 0) return node.name;
	for (const name in TagIdMap) if (TagIdMap[name] === tagId) return name;
}
function resolveTagId(node) {
	return node.tagHandler?.aliasTagId ?? node.tagId;
}
function resolveSafeUrl(url, options, image = false) {
	if (!isSafeHtmlUrl(url, image)) return;
	const resolved = resolveUrl(url, options.origin, options.clean);
	return isSafeHtmlUrl(resolved, image) ? resolved : void 0;
}
function safeAttributes(node, tagId) {
	const attributes = node.attributes;
	if (tagId === 33) {
		const start = parseUnsignedInteger(attributes.start);
		return start === void 0 ? "" : ` start="${start}"`;
	}
	if (tagId === 23) {
		const language = getLanguageFromClass(attributes.class);
		return language ? ` class="language-${escapeHtml(language, true)}"` : "";
	}
	if (tagId === 31 || tagId === 32) {
		let output = "";
		const colspan = parseUnsignedInteger(attributes.colspan);
		if (colspan !== void 0 && colspan > 0) output += ` colspan="${colspan}"`;
		if (tagId === 31) {
			const align = attributes.align?.toLowerCase();
			if (align === "left" || align === "center" || align === "right") output += ` align="${align}"`;
		}
		return output;
	}
	return "";
}
function append(state, output, value) {
	const frame = state.frames.at(-1);
	if (frame) frame.output += value;
	else output.push(value);
}
function processText(node, state, output) {
	if (node.excludedFromMarkdown || !node.value) return;
	for (let index = state.frames.length - 1; index >= 0; index--) {
		const frame = state.frames[index];
		if (frame._tag === 0) {
			frame.text += node.value;
			break;
		}
	}
	append(state, output, escapeHtml(node.value));
}
function closeFrame(state, output, frame) {
	state.frames.pop();
	if (frame._tag === 0) {
		const slug = slugifyHeading(frame.text);
		const id = slug ? ` id="${slug}"` : "";
		append(state, output, `<h${frame.level}${id}>${frame.output}</h${frame.level}>`);
		return;
	}
	append(state, output, `<pre tabindex="0"><code${frame.language ? ` class="language-${escapeHtml(frame.language, true)}"` : ""}>${frame.output}</code></pre>`);
}
function processHtmlOutputEvent(event, state, output, options) {
	const { node, type } = event;
	if (node.type === 2) {
		if (type === 0) processText(node, state, output);
		return;
	}
	if (node.type !== 1) return;
	const element = node;
	const tagId = resolveTagId(element);
	const frame = state.frames.at(-1);
	if (frame?._tag === 1) {
		if (type === 0 && tagId === 23 && !frame.language) frame.language = getLanguageFromClass(element.attributes.class);
		else if (type === 0 && tagId === 6) frame.output += "\n";
		else if (type !== 0 && tagId === 34 && element.depth === frame.depth) closeFrame(state, output, frame);
		return;
	}
	if (type === 0 && tagId !== void 0 && tagId >= 7 && tagId <= 12) {
		state.frames.push({
			_tag: 0,
			level: tagId - 7 + 1,
			output: "",
			text: ""
		});
		return;
	}
	if (type !== 0 && frame?._tag === 0 && tagId !== void 0 && tagId >= 7 && tagId <= 12) {
		closeFrame(state, output, frame);
		return;
	}
	if (type === 0 && tagId === 34) {
		state.frames.push({
			_tag: 1,
			depth: element.depth,
			language: getLanguageFromClass(element.attributes.class),
			output: ""
		});
		return;
	}
	if (tagId === 6) {
		if (type === 0) append(state, output, "<br>");
		return;
	}
	if (tagId === 13) {
		if (type === 0) append(state, output, "<hr>");
		return;
	}
	if (tagId === 27) {
		if (type === 0) {
			const src = element.attributes.src && resolveSafeUrl(element.attributes.src, options, true);
			if (src) {
				append(state, output, `<img src="${escapeHtml(src, true)}" alt="${escapeHtml(element.attributes.alt || "", true)}"${element.attributes.title === void 0 ? "" : ` title="${escapeHtml(element.attributes.title, true)}"`}>`);
				markRenderedChildContent(element);
			}
		}
		return;
	}
	if (tagId === 26) {
		const rendered = safeAnchorOutput(element, options, type === 0);
		if (rendered) append(state, output, rendered);
		return;
	}
	if (tagId === void 0) return;
	const name = tagName(element, tagId);
	if (!name) return;
	const attributes = safeAttributes(element, tagId);
	if (attributes === void 0) return;
	append(state, output, type === 0 ? `<${name}${attributes}>` : `</${name}>`);
}
function processPluginsForEvent(event, plugins, state, processEvent) {
	if (plugins?.length) {
		if (event.node.type === 1 && event.type === 0) {
			const element = event.node;
			for (const plugin of plugins) if (plugin.processAttributes) plugin.processAttributes(element, state);
		}
		let shouldSkip = false;
		for (const plugin of plugins) {
			const res = plugin.beforeNodeProcess?.(event, state);
			if (typeof res === "object") shouldSkip = res.skip;
		}
		if (shouldSkip) return true;
		if (event.node.type === 1) {
			const element = event.node;
			const fn = event.type === 0 ? "onNodeEnter" : "onNodeExit";
			const pluginOutputs = [];
			for (const plugin of plugins) if (plugin[fn]) {
				const result = plugin[fn](element, state);
				if (result) pluginOutputs.push(result);
			}
			if (pluginOutputs.length > 0) element.pluginOutput = [...element.pluginOutput || [], ...pluginOutputs];
		} else if (event.node.type === 2 && event.type === 0) {
			const textNode = event.node;
			for (const plugin of plugins) if (plugin.processTextNode) {
				const result = plugin.processTextNode(textNode, state);
				if (result) {
					if (result.skip) return true;
					textNode.value = result.content;
				}
			}
		}
	}
	processEvent(event);
	return false;
}
const INLINE_MARKER_TYPE = new Uint8Array(113);
const MARKER_TYPE_MASK = 7;
const CAPTION_FRAME_SIZE = 4;
const CAPTION_OPEN = 1;
const CAPTION_INTERNAL_BREAK = 2;
const CAPTION_DEFAULT_SPACING = -1;
const CAPTION_NO_ANCHOR = -1;
INLINE_MARKER_TYPE[14] = 1;
INLINE_MARKER_TYPE[15] = 1;
INLINE_MARKER_TYPE[91] = 1;
INLINE_MARKER_TYPE[16] = 2;
INLINE_MARKER_TYPE[17] = 2;
INLINE_MARKER_TYPE[18] = 3;
INLINE_MARKER_TYPE[110] = 3;
INLINE_MARKER_TYPE[111] = 3;
INLINE_MARKER_TYPE[90] = 4;
INLINE_MARKER_TYPE[46] = 5;
INLINE_MARKER_TYPE[23] = 5;
INLINE_MARKER_TYPE[82] = 5;
INLINE_MARKER_TYPE[92] = 5;
INLINE_MARKER_TYPE[81] = 6;
function suppressesFormattingInPre(tagId) {
	return tagId === 26 || tagId === 46 || tagId === 110 || tagId === 111 || tagId === 106 || tagId >= 14 && tagId <= 21 || tagId >= 79 && tagId <= 83 || tagId >= 89 && tagId <= 94;
}
function newlineRunBefore(buffer, index) {
	let run = 0;
	for (let i = index - 1; i >= 0; i--) {
		const fragment = buffer[i];
		for (let j = fragment.length - 1; j >= 0; j--) {
			if (fragment.charCodeAt(j) !== 10) return run;
			run++;
		}
	}
	return run;
}
function newlineRunBeforePrefix(buffer, index, prefix) {
	let fragment = index - 1;
	let offset = fragment >= 0 ? buffer[fragment].length : 0;
	for (let prefixIndex = prefix.length - 1; prefixIndex >= 0; prefixIndex--) {
		while (offset === 0) {
			if (--fragment < 0) return newlineRunBefore(buffer, index);
			offset = buffer[fragment].length;
		}
		if (buffer[fragment].charCodeAt(--offset) !== prefix.charCodeAt(prefixIndex)) return newlineRunBefore(buffer, index);
	}
	let run = 0;
	for (;;) {
		while (offset === 0) {
			if (--fragment < 0) return run;
			offset = buffer[fragment].length;
		}
		if (buffer[fragment].charCodeAt(--offset) !== 10) return run;
		run++;
	}
}
function recordItemMarker(state, index) {
	if (index !== 0 || newlineRunBefore(state.buffer, state.buffer.length - 1) !== 1) {
		state.emptyItemFragment = void 0;
		return;
	}
	state.emptyItemFragment = state.buffer.length - 1;
}
function resolveItemMarker(state, atExit, unresolvedCaptionFragment = -1) {
	const fragment = state.emptyItemFragment;
	if (fragment === void 0) return;
	const buffer = state.buffer;
	let first = -1;
	for (let i = fragment + 1; i < buffer.length && first === -1; i++) {
		const fragment = buffer[i];
		for (let j = 0; j < fragment.length; j++) {
			const code = fragment.charCodeAt(j);
			if (code !== 32) {
				first = code;
				break;
			}
		}
	}
	if (first === -1 && !atExit) return;
	if (!atExit && unresolvedCaptionFragment !== -1) {
		let captionOpensItem = true;
		for (let index = fragment + 1; index < unresolvedCaptionFragment; index++) if (hasNonWhitespace(buffer[index])) {
			captionOpensItem = false;
			break;
		}
		if (captionOpensItem) return;
	}
	state.emptyItemFragment = void 0;
	if (first !== -1 && first !== 10) return;
	buffer[fragment] = `\n${buffer[fragment]}`;
}
function updateListIndent(state, element, eventType) {
	if (element.tagId !== 25) return;
	if (isInsideTableCell(state)) return;
	if (eventType === 0) {
		const isOrdered = element.parent?.tagId === 33;
		const width = state.plainText ? 0 : isOrdered ? String(orderedItemNumber(element.parent, element.index)).length + 2 : 2;
		state.listIndentWidths.push(width);
		state.listIndent += " ".repeat(width);
	} else if (eventType === 1) {
		const width = state.listIndentWidths.pop() ?? 0;
		state.listIndent = state.listIndent.slice(0, state.listIndent.length - width);
	}
}
function needsSpacing(lastChar, firstChar, state) {
	if (" \n	".includes(lastChar) || " \n	".includes(firstChar)) return false;
	if (lastChar === "|" && firstChar === "<" && state && (state.depthMap[28] || 0) > 0) return true;
	return !"[(>*_`".includes(lastChar) && !"])<.,!?:;*_`".includes(firstChar);
}
function shouldAddSpacingBeforeText(lastChar, lastNode, textNode) {
	if (!lastChar || "\n 	[>".includes(lastChar)) return false;
	if (lastNode?.tagHandler?.isInline) return false;
	const firstChar = textNode.value[0];
	if (firstChar === " ") return false;
	if (firstChar && ".,!?:;_*`)]".includes(firstChar)) return false;
	return true;
}
function canWrapHere(depthMap) {
	if (depthMap[34] || depthMap[23] || depthMap[32] || depthMap[31]) return false;
	return !isInsideHeading(depthMap);
}
function foldPreLinesToBr(value) {
	let start = 0;
	while (start < value.length) {
		const c = value.charCodeAt(start);
		if (c !== 10 && c !== 13) break;
		start++;
	}
	let end = value.length;
	while (end > start) {
		const c = value.charCodeAt(end - 1);
		if (c !== 10 && c !== 13) break;
		end--;
	}
	let out = "";
	for (let i = start; i < end; i++) {
		const c = value.charCodeAt(i);
		if (c === 13) {
			out += "<br>";
			if (i + 1 < end && value.charCodeAt(i + 1) === 10) i++;
		} else if (c === 10) out += "<br>";
		else if (c === 38) out += "&amp;";
		else if (c === 60) out += "&lt;";
		else if (c === 62) out += "&gt;";
		else if (c === 124) out += "&#124;";
		else out += value[i];
	}
	return out;
}
function escapeRawHtmlText(value, depthMap, protectLinkText) {
	const inTable = Boolean(depthMap[28]);
	let escaped = "";
	let copiedUntil = 0;
	let index = 0;
	while (index < value.length) {
		const code = value.charCodeAt(index);
		let replacement;
		if (code === 38) replacement = "&amp;";
		else if (code === 60) replacement = "&lt;";
		else if (code === 62) replacement = "&gt;";
		else if (code === 10) replacement = "&#10;";
		else if (code === 13) replacement = "&#13;";
		else if (inTable && code === 124) replacement = "&#124;";
		else if (protectLinkText && code === 91) replacement = "&#91;";
		else if (protectLinkText && code === 93) replacement = "&#93;";
		if (replacement) {
			escaped += value.slice(copiedUntil, index) + replacement;
			copiedUntil = index + 1;
		}
		index++;
	}
	return copiedUntil === 0 ? value : escaped + value.slice(copiedUntil);
}
function resetBufferScanCursors(scan) {
	scan[1] = 0;
	scan[2] = 0;
	scan[3] = 0;
	scan[4] = 0;
}
function trackRawHtmlMarkdownContext(buffer, scan) {
	if (scan[0]) return true;
	let index = scan[1];
	if (index > buffer.length) index = 0;
	let previous = index > 0 ? buffer[index - 1].charCodeAt(buffer[index - 1].length - 1) : -1;
	for (; index < buffer.length; index++) {
		const fragment = buffer[index];
		if (!fragment) continue;
		if (fragment.includes("\n\n") || previous === 10 && fragment.charCodeAt(0) === 10) {
			scan[0] = true;
			break;
		}
		previous = fragment.charCodeAt(fragment.length - 1);
	}
	scan[1] = buffer.length;
	return scan[0];
}
function lineOpensRawHtmlBlock(buffer, scan) {
	let scanned = scan[2];
	if (scanned > buffer.length) {
		scanned = 0;
		scan[3] = 0;
		scan[4] = 0;
	}
	for (let index = scanned; index < buffer.length; index++) {
		const newline = buffer[index].lastIndexOf("\n");
		if (newline !== -1) {
			scan[3] = index;
			scan[4] = newline + 1;
		}
	}
	scan[2] = buffer.length;
	let spaces = 0;
	let offset = scan[4];
	for (let index = scan[3]; index < buffer.length; index++) {
		const fragment = buffer[index];
		while (offset < fragment.length) {
			const code = fragment.charCodeAt(offset);
			if (code !== 32) return code === 60;
			if (++spaces > 3) return false;
			offset++;
		}
		offset = 0;
	}
	return false;
}
function markdownLineIndent(buffer) {
	let spaces = 0;
	for (let fragmentIndex = buffer.length - 1; fragmentIndex >= 0; fragmentIndex--) {
		const fragment = buffer[fragmentIndex];
		for (let index = fragment.length - 1; index >= 0; index--) {
			const code = fragment.charCodeAt(index);
			if (code === 10) return spaces;
			if (code !== 32 || spaces === 3) return listMarkerLineStart(buffer, fragmentIndex, index) ? 0 : -1;
			spaces++;
		}
	}
	return spaces;
}
function isMarkdownMarkerWhitespace(code) {
	return code === 0 || code === 9 || code === 10 || code === 13 || code === 32;
}
function canStartGfmAngleConstruct(code) {
	return code >= 65 && code <= 90 || code >= 97 && code <= 122 || code === 33 || code === 47 || code === 63;
}
function isThematicBreak(value, start, marker) {
	let count = 0;
	for (let index = start; index < value.length; index++) {
		const code = value.charCodeAt(index);
		if (code === marker) count++;
		else if (code === 10 || code === 13) break;
		else if (code !== 32 && code !== 9) return false;
	}
	return count >= 3;
}
const GFM_TEXT_NATIVE_TRIGGER = /[\\*_~`[<\r\n]/;
function mayNeedGfmTextEscape(value, buffer, depthMap) {
	if (value.search(GFM_TEXT_NATIVE_TRIGGER) !== -1) return true;
	if (depthMap[28] && value.includes("|") || depthMap[26] && value.includes("]") || depthMap[22] && value.includes(">")) return true;
	const first = value.charCodeAt(0);
	if (!" #+->".includes(value[0]) && !(first >= 48 && first <= 57)) return false;
	let lineIndent = markdownLineIndent(buffer);
	if (lineIndent < 0) return false;
	let index = 0;
	while (index < value.length && lineIndent < 3 && value.charCodeAt(index) === 32) {
		index++;
		lineIndent++;
	}
	if (index >= value.length) return false;
	const code = value.charCodeAt(index);
	return "#+->".includes(value[index]) || code >= 48 && code <= 57;
}
function escapeGfmText(value, buffer, depthMap) {
	const inTable = Boolean(depthMap[28]);
	const inLink = Boolean(depthMap[26]);
	const inBlockquote = Boolean(depthMap[22]);
	let lineIndent = markdownLineIndent(buffer);
	let orderedDigits = 0;
	let copiedUntil = 0;
	let escaped = "";
	for (let index = 0; index < value.length; index++) {
		const code = value.charCodeAt(index);
		const character = value[index];
		const next = index + 1 < value.length ? value.charCodeAt(index + 1) : 0;
		if (code === 92 && next === 38 && isCharacterReferenceTail(value, index + 2)) {
			lineIndent = -1;
			orderedDigits = 0;
			index++;
			continue;
		}
		if (inTable && (code === 10 || code === 13)) {
			escaped += value.slice(copiedUntil, index);
			escaped += code === 10 ? "&#10;" : "&#13;";
			copiedUntil = index + 1;
			continue;
		}
		let shouldEscape = "\\*_~`[".includes(character) || code === 93 && inLink || code === 124 && inTable || code === 62 && inBlockquote || code === 60 && canStartGfmAngleConstruct(value.charCodeAt(index + 1));
		if (!shouldEscape && lineIndent >= 0) {
			if (code === 35) {
				let end = index + 1;
				while (end < value.length && value.charCodeAt(end) === 35) end++;
				shouldEscape = end - index <= 6 && (end === value.length || isMarkdownMarkerWhitespace(value.charCodeAt(end)));
			} else if (code === 45 || code === 43) shouldEscape = index + 1 === value.length || isMarkdownMarkerWhitespace(value.charCodeAt(index + 1)) || code === 45 && isThematicBreak(value, index, code);
			else if (code === 62) shouldEscape = true;
		} else if (!shouldEscape && orderedDigits > 0 && (code === 46 || code === 41)) shouldEscape = index + 1 === value.length || isMarkdownMarkerWhitespace(value.charCodeAt(index + 1));
		if (shouldEscape) {
			escaped += value.slice(copiedUntil, index);
			escaped += `\\${character}`;
			copiedUntil = index + 1;
		}
		if (code === 10) {
			lineIndent = 0;
			orderedDigits = 0;
		} else if (lineIndent >= 0) {
			if (code === 32 && lineIndent < 3) lineIndent++;
			else {
				orderedDigits = code >= 48 && code <= 57 ? 1 : 0;
				lineIndent = -1;
			}
		} else if (orderedDigits > 0) {
			if (code >= 48 && code <= 57 && orderedDigits < 9) orderedDigits++;
			else orderedDigits = 0;
		}
	}
	return copiedUntil === 0 ? value : escaped + value.slice(copiedUntil);
}
function currentColumn(buffer) {
	let col = 0;
	for (let i = buffer.length - 1; i >= 0; i--) {
		const s = buffer[i];
		const nl = s.lastIndexOf("\n");
		if (nl >= 0) return col + [...s.slice(nl + 1)].length;
		col += [...s].length;
	}
	return col;
}
function wrapText(value, col, width, prefix) {
	const leading = value.charCodeAt(0) === 32;
	const trailing = value.charCodeAt(value.length - 1) === 32;
	const prefixLen = [...prefix].length;
	let out = "";
	let first = true;
	let i = 0;
	const len = value.length;
	while (i < len) {
		let next = value.indexOf(" ", i);
		if (next === -1) next = len;
		if (next > i) {
			const word = value.slice(i, next);
			const wordLen = [...word].length;
			const needSpace = first ? leading : true;
			if (needSpace && col > prefixLen && col + 1 + wordLen > width) {
				out += `\n${prefix}`;
				col = prefixLen;
			} else if (needSpace) {
				out += " ";
				col += 1;
			}
			out += word;
			col += wordLen;
			first = false;
		}
		i = next + 1;
	}
	if (trailing && out !== "" && !out.endsWith(" ") && !out.endsWith("\n")) out += " ";
	if (out === "" && (leading || trailing)) out = " ";
	return out;
}
function calculateNewLineConfig(node, depthMap, plainText) {
	const tagId = node.tagId;
	if (plainText && tagId === 106) return NO_SPACING;
	if (tagId !== 25 && (depthMap[25] || 0) > 0 || plainText && tagId !== 22 && (depthMap[22] || 0) > 0) {
		if (plainText && tagId === 34) return [1, 1];
		return NO_SPACING;
	}
	const isBlockElement = tagId !== void 0 && (tagId >= 7 && tagId <= 12 || tagId === 35 || tagId === 36 || tagId === 25 || tagId === 106);
	let currParent = node.parent;
	while (currParent) {
		if (currParent.tagHandler?.collapsesInnerWhiteSpace) {
			if (isBlockElement && currParent.tagId === 37) {
				currParent = currParent.parent;
				continue;
			}
			return NO_SPACING;
		}
		currParent = currParent.parent;
	}
	if (node.tagHandler?.spacing) return node.tagHandler?.spacing;
	if (tagId === -1) return NO_SPACING;
	return DEFAULT_BLOCK_SPACING;
}
function hasNonWhitespace(value) {
	for (let i = 0; i < value.length; i++) {
		const c = value.charCodeAt(i);
		if (c !== 32 && c !== 9 && c !== 10 && c !== 12 && c !== 13) return true;
	}
	return false;
}
function isAsciiWhitespace(code) {
	return code === 32 || code >= 9 && code <= 13;
}
function trimAsciiWhitespaceEnd(value) {
	let end = value.length;
	while (end > 0 && isAsciiWhitespace(value.charCodeAt(end - 1))) end--;
	return end === value.length ? value : value.slice(0, end);
}
function fragmentPosition(buffer, fragment) {
	let position = 0;
	for (let index = 0; index < fragment; index++) position += buffer[index].length;
	return position;
}
function trimBufferedWhitespacePosition(content, position) {
	let end = Math.max(0, position);
	while (end > 0) {
		const code = content.charCodeAt(end - 1);
		if (code !== 32 && code !== 10) break;
		end--;
	}
	return end;
}
function dropEmptyMarker(buffer, packed, markerType) {
	const idx = packed >> 3;
	if ((packed & MARKER_TYPE_MASK) === markerType && idx < buffer.length) return dropEmptyLinkText(buffer, idx) ? idx : -1;
	return -1;
}
function resetRetractedCaptionFrames(frames, count, fragment) {
	if (!frames) return;
	for (let index = 0; index < count; index++) {
		const offset = index * CAPTION_FRAME_SIZE;
		if (frames[offset + 3] >= fragment) {
			frames[offset + 2] = frames[offset + 2] & -2;
			frames[offset + 3] = CAPTION_NO_ANCHOR;
		}
	}
}
function dropEmptyLinkText(buffer, openFragment) {
	for (let index = openFragment + 1; index < buffer.length; index++) if (hasNonWhitespace(buffer[index])) return false;
	buffer.length = openFragment;
	return true;
}
function restoreCaptionBreakFlags(frames, snapshot, count) {
	if (!frames || !snapshot) return;
	const end = Math.min(count, snapshot.length);
	for (let index = 0; index < end; index++) {
		const offset = index * CAPTION_FRAME_SIZE + 2;
		frames[offset] = frames[offset] & -3 | snapshot[index];
	}
}
function maxBacktickRun(value) {
	let max = 0;
	let run = 0;
	for (let index = 0; index < value.length; index++) if (value.charCodeAt(index) === 96) {
		run++;
		if (run > max) max = run;
	} else run = 0;
	return max;
}
function maxLineLeadingRun(value, marker, indent) {
	let max = 0;
	let lineStart = 0;
	while (lineStart <= value.length) {
		let index = lineStart;
		if (indent && value.startsWith(indent, index)) index += indent.length;
		let spaces = 0;
		while (spaces < 3 && value.charCodeAt(index) === 32) {
			spaces++;
			index++;
		}
		let run = 0;
		while (value.charCodeAt(index + run) === marker) run++;
		if (run > max) max = run;
		const newline = value.indexOf("\n", lineStart);
		if (newline === -1) break;
		lineStart = newline + 1;
	}
	return max;
}
function finalizeCodeSpan(state, span) {
	let content = state.buffer.slice(span.fragment + 1).join("");
	if ((state.depthMap[28] || 0) > 0 && content.includes("|")) {
		content = content.replaceAll("|", "\\|");
		state.buffer.length = span.fragment + 1;
		state.buffer.push(content);
	}
	const delimiter = "`".repeat(Math.max(1, maxBacktickRun(content) + 1));
	const padded = content.startsWith("`") || content.endsWith("`");
	state.buffer[span.fragment] = `${span.prefix}${delimiter}${padded ? " " : ""}`;
	return `${padded ? " " : ""}${delimiter}`;
}
function startCodeFence(state, fragment, language, indent) {
	state.codeFence = {
		fragment,
		markerOffset: state.buffer[fragment].lastIndexOf("```"),
		indent,
		language
	};
	state.onCodeFenceOpen?.(language);
}
function finalizeCodeFence(state) {
	const fence = state.codeFence;
	if (!fence) return;
	state.codeFence = void 0;
	const marker = fence.language.includes("`") ? "~" : "`";
	const markerCode = marker.charCodeAt(0);
	const content = state.buffer.slice(fence.fragment + 1).join("");
	const delimiter = marker.repeat(Math.max(3, maxLineLeadingRun(content, markerCode, fence.indent) + 1));
	const opening = state.buffer[fence.fragment];
	state.buffer[fence.fragment] = `${opening.slice(0, fence.markerOffset)}${delimiter}${opening.slice(fence.markerOffset + 3)}`;
	return delimiter;
}
function stripBlockquoteListIndent(line, listIndent) {
	return listIndent && line.startsWith(listIndent) ? line.slice(listIndent.length) : line;
}
function finalizeBlockquote(state) {
	const frame = state.blockquotes.pop();
	if (!frame) return;
	state.bufferedBlockquoteDepth = state.blockquotes.length;
	const content = state.buffer.slice(frame.fragment).join("").replace(/[ \t\r\n]+$/, "");
	const prefix = `${frame.listIndent}>`;
	const quoted = content.split("\n").map((line) => {
		const unindented = stripBlockquoteListIndent(line, frame.listIndent);
		return unindented ? `${prefix} ${unindented}` : prefix;
	}).join("\n");
	state.buffer.splice(frame.fragment, state.buffer.length - frame.fragment, quoted);
	state.lastContentCache = quoted;
}
function collapseNestedBlockquoteSeparator(buffer) {
	if (newlineRunBefore(buffer, buffer.length) < 2) return;
	const last = buffer.at(-1);
	if (last.length === 1) buffer.pop();
	else buffer[buffer.length - 1] = last.slice(0, -1);
}
function flushPreFence(state) {
	if (state.plainText) {
		state.preFencePending = false;
		return;
	}
	state.preFencePending = false;
	state.preFenceOpen = true;
	const lang = state.preFenceLang || "";
	const fence = (state.depthMap[25] || 0) > 0 ? `${blockOpenPrefix(state.buffer, state.listIndent) ?? ""}\`\`\`${lang}\n${state.listIndent}` : `\`\`\`${lang}\n`;
	state.buffer.push(fence);
	startCodeFence(state, state.buffer.length - 1, lang, state.listIndent);
	state.lastContentCache = fence;
}
function consumePendingPreChild(state, node, eventType, beforeFlush) {
	if (eventType !== 0) return false;
	if (node.type === 1) {
		const element = node;
		if (element.tagId === 23 && element.parent?.tagId === 34) state.preFencePending = false;
		else if (element.tagId !== 34 && element.tagId !== 106 && !suppressesFormattingInPre(element.tagId)) {
			beforeFlush();
			flushPreFence(state);
		}
		return false;
	}
	if (hasNonWhitespace(node.value)) {
		beforeFlush();
		flushPreFence(state);
		return false;
	}
	return true;
}
function consumeGfmAction(action, state, lifecycle) {
	switch (action._tag) {
		case "BlockquoteEnter": return action.output;
		case "BlockquoteExit":
			finalizeBlockquote(state);
			return;
		case "PreEnter":
			state.preFencePending = true;
			state.preFenceOpen = false;
			state.preFenceLang = action.language;
			return;
		case "PreExit": {
			const fenceOpen = state.preFenceOpen;
			state.preFencePending = false;
			state.preFenceOpen = false;
			if (!fenceOpen) return void 0;
			const indent = state.listIndent;
			const output = (state.depthMap[25] || 0) > 0 ? `\n${indent}\`\`\`\n\n${indent}` : `\n\`\`\``;
			const delimiter = finalizeCodeFence(state);
			return delimiter ? output.replace("```", delimiter) : output;
		}
		case "CodeSpanEnter": return action.output;
		case "CodeSpanExit": {
			const span = lifecycle.openCodeSpans.pop();
			return span ? finalizeCodeSpan(state, span) : "`";
		}
		case "CodeFenceEnter":
			state.preFencePending = false;
			state.preFenceOpen = true;
			return action.output;
	}
}
function commitGfmAction(action, state, lifecycle, outputStart) {
	switch (action._tag) {
		case "BlockquoteEnter":
			if (state.blockquotes.length > 0) collapseNestedBlockquoteSeparator(state.buffer);
			state.blockquotes.push({
				fragment: state.buffer.length,
				listIndent: state.listIndent
			});
			state.bufferedBlockquoteDepth = state.blockquotes.length;
			break;
		case "CodeSpanEnter":
			lifecycle.openCodeSpans.push({
				fragment: outputStart,
				prefix: action.output.slice(0, -1)
			});
			break;
		case "CodeFenceEnter": {
			const fenceFragment = state.buffer.findIndex((fragment, index) => index >= outputStart && fragment.includes("```"));
			if (fenceFragment < 0) throw new Error("code fence opener missing from output");
			startCodeFence(state, fenceFragment, action.language, state.listIndent);
			break;
		}
	}
}
function getPlainTextOutput(node, eventType, state) {
	const override = state.options?.plugins?.tagOverrides?.[node.name];
	if (override && typeof override !== "string") {
		const explicitOutput = eventType === 0 ? override.enter : override.exit;
		if (explicitOutput !== void 0) return explicitOutput;
	}
	const tagId = node.tagId;
	const depthMap = state.depthMap;
	if (eventType === 0) {
		if (tagId === 6) return "\n";
		if (tagId === 35 && ((depthMap[22] || 0) > 0 || (depthMap[25] || 0) > 0 && !isInsideTableCell(state))) {
			const lastEntry = state.buffer.at(-1);
			const lastChar = lastEntry?.charAt(lastEntry.length - 1) || "";
			if (lastChar && lastChar !== " " && lastChar !== "\n") return "\n\n";
		}
		if (tagId === 32 || tagId === 31) return (depthMap[28] || 0) > 1 || node.index === 0 ? "" : "	";
		if (tagId === 27) {
			const alt = node.attributes?.alt;
			const clean = state.options?.clean;
			if ((clean === true || clean != null && clean !== false && clean.emptyImages === true) && !(alt !== void 0 && alt.trim().length > 0)) return void 0;
			const output = alt !== void 0 ? alt || void 0 : node.attributes?.title || resolveUrl(node.attributes?.src || "", state.options?.origin, state.options?.clean) || void 0;
			if (output && hasNonWhitespace(output)) markRenderedChildContent(node);
			return output;
		}
		if (tagId === 81) return "\"";
		return;
	}
	if (tagId === 81) return "\"";
}
function createMarkdownProcessor(options = {}, resolvedPlugins = [], tagOverrideHandlers) {
	const outputFormat = options.format === "html" || options.format === "text" ? options.format : "markdown";
	const plainText = outputFormat === "text";
	const htmlState = outputFormat === "html" ? createHtmlOutputState() : void 0;
	const state = {
		options,
		buffer: [],
		depthMap: new Uint16Array(113),
		listIndent: "",
		listIndentWidths: [],
		blockquotes: [],
		bufferedBlockquoteDepth: 0,
		plainText,
		emptyItemFragment: void 0
	};
	const bufferScan = [
		false,
		0,
		0,
		0,
		0
	];
	let inRawHtmlRegion = false;
	const openMarkers = [];
	let openMarkerCount = 0;
	let captionFrames;
	let captionFrameCount = 0;
	let captionBoundary = 0;
	let captionBoundarySpacing = 0;
	let captionBreakRun = 0;
	const gfmLifecycle = { openCodeSpans: [] };
	let openLinkFragment = -1;
	let openLinkCaptionBreakRun = 0;
	let openLinkCaptionFlags;
	const clean = options.clean;
	const cleanEmptyLinkText = clean === true || clean !== null && typeof clean === "object" && clean.emptyLinkText === true;
	let rawHtmlLink;
	let lastYieldedLength = 0;
	let hasYieldedContent = false;
	let preserveLeadingWhitespace = false;
	function captionNeedsPreparation() {
		return captionBoundary !== 0 || captionFrameCount !== 0 && (captionFrames[(captionFrameCount - 1) * CAPTION_FRAME_SIZE + 2] & CAPTION_OPEN) === 0;
	}
	function pushCaptionFrame(element, handler) {
		let enterSpacing = 0;
		let exitSpacing = 0;
		if (!state.depthMap[34] && figcaptionOwnsBlockSpacing(element, plainText)) {
			const spacing = handler?.spacing;
			if (spacing) {
				enterSpacing = spacing[0];
				exitSpacing = spacing[1];
			} else {
				enterSpacing = CAPTION_DEFAULT_SPACING;
				exitSpacing = CAPTION_DEFAULT_SPACING;
			}
		}
		const frames = captionFrames || (captionFrames = []);
		const offset = captionFrameCount * CAPTION_FRAME_SIZE;
		frames[offset] = enterSpacing;
		frames[offset + 1] = exitSpacing;
		frames[offset + 2] = 0;
		frames[offset + 3] = CAPTION_NO_ANCHOR;
		captionFrameCount++;
	}
	function captionSpacingPrefix(spacing, includeListIndent, beforeFragment) {
		if (spacing === 0) return "";
		if (spacing === CAPTION_DEFAULT_SPACING) spacing = DEFAULT_BLOCK_SPACING[0];
		const indent = includeListIndent ? state.listIndent : "";
		const blockPrefix = blockOpenPrefix(state.buffer, indent, beforeFragment);
		const trailingNewLines = newlineRunBeforePrefix(state.buffer, beforeFragment, indent);
		if (blockPrefix === void 0 && trailingNewLines === 0) return "";
		const missingNewLines = Math.max(0, spacing - trailingNewLines);
		const prefix = missingNewLines === 0 ? blockPrefix || "" : `${"\n".repeat(missingNewLines)}${indent}`;
		if (!prefix) return "";
		const lastIndex = beforeFragment - 1;
		const last = state.buffer[lastIndex];
		if (prefix.charCodeAt(0) === 10 && last?.endsWith(" ")) {
			const trimmed = last.slice(0, -1);
			state.buffer[lastIndex] = trimmed;
			if (state.lastContentCache === last) state.lastContentCache = trimmed;
			state.lastTextNode = void 0;
		}
		return prefix;
	}
	function appendCaptionSpacing(spacing, includeListIndent) {
		const prefix = captionSpacingPrefix(spacing, includeListIndent, state.buffer.length);
		if (!prefix) return false;
		state.buffer.push(prefix);
		state.lastContentCache = prefix;
		state.pendingInlineWhitespace = false;
		return true;
	}
	function prepareCaptionOutput(explicitTop, includeBoundaryListIndent = true) {
		let changed = false;
		if (captionBoundary === 1) changed = appendCaptionSpacing(captionBoundarySpacing, includeBoundaryListIndent);
		const frames = captionFrames;
		if (frames) for (let index = 0; index < captionFrameCount; index++) {
			const offset = index * CAPTION_FRAME_SIZE;
			let flags = frames[offset + 2];
			if (flags & CAPTION_OPEN) continue;
			const anchor = frames[offset + 3];
			const beforeFragment = anchor === CAPTION_NO_ANCHOR ? state.buffer.length : anchor;
			let opening = flags & CAPTION_INTERNAL_BREAK ? "" : captionSpacingPrefix(frames[offset], true, beforeFragment);
			flags |= CAPTION_OPEN;
			if (!plainText && (!explicitTop || index !== captionFrameCount - 1)) opening += "*";
			if (opening) {
				if (beforeFragment === state.buffer.length) {
					state.buffer.push(opening);
					state.lastContentCache = opening;
				} else {
					const anchored = state.buffer[beforeFragment];
					const replacement = opening + anchored;
					state.buffer[beforeFragment] = replacement;
					const codeSpan = gfmLifecycle.openCodeSpans.at(-1);
					if (codeSpan?.fragment === beforeFragment) codeSpan.prefix = opening + codeSpan.prefix;
					if (state.lastContentCache === anchored) state.lastContentCache = replacement;
				}
				changed = true;
			}
			frames[offset + 2] = flags;
		}
		return changed;
	}
	function consumeCaptionTransition(isInlineElement, tagId) {
		captionBoundary = isInlineElement && tagId !== 27 && tagId !== 6 ? 2 : 0;
	}
	function anchorPendingCaptions(fragment) {
		const frames = captionFrames;
		if (!frames) return;
		for (let index = 0; index < captionFrameCount; index++) {
			const offset = index * CAPTION_FRAME_SIZE;
			if ((frames[offset + 2] & CAPTION_OPEN) === 0 && frames[offset + 3] === CAPTION_NO_ANCHOR) frames[offset + 3] = fragment;
		}
	}
	function commitCaptionFrames() {
		const frames = captionFrames;
		if (!frames) return;
		for (let index = 0; index < captionFrameCount; index++) {
			const offset = index * CAPTION_FRAME_SIZE;
			if (frames[offset + 2] & CAPTION_OPEN) frames[offset + 3] = CAPTION_NO_ANCHOR;
		}
	}
	function flushCaptionBreakRun() {
		if (captionBreakRun === 0) return false;
		let index = state.buffer.length;
		while (index !== 0) {
			const value = state.buffer[--index];
			let end = value.length;
			while (end !== 0 && value.charCodeAt(end - 1) === 32) end--;
			if (end === value.length) break;
			if (end !== 0) {
				state.buffer[index] = value.slice(0, end);
				state.buffer.length = index + 1;
				break;
			}
			state.buffer.length = index;
		}
		const output = plainText ? "\n".repeat(captionBreakRun) : `  \n${state.listIndent}`.repeat(captionBreakRun);
		captionBreakRun = 0;
		state.buffer.push(output);
		state.lastContentCache = output;
		return true;
	}
	function finishCaptionFrame() {
		if (captionFrameCount === 0) return;
		const offset = (captionFrameCount - 1) * CAPTION_FRAME_SIZE;
		const frames = captionFrames;
		const exitSpacing = frames[offset + 1];
		const opened = (frames[offset + 2] & CAPTION_OPEN) !== 0;
		const anchor = frames[offset + 3];
		frames.length = offset;
		captionFrameCount--;
		if (opened) {
			captionBoundary = exitSpacing === 0 ? 0 : 1;
			captionBoundarySpacing = exitSpacing;
		} else if (anchor !== CAPTION_NO_ANCHOR) {
			state.buffer.length = anchor;
			state.lastContentCache = state.buffer.at(-1);
			state.lastTextNode = void 0;
		} else if (captionBreakRun !== 0 && captionFrameCount === 0) captionBoundary = 2;
	}
	function processTextNode(textNode, lastNode, lastChar) {
		if (textNode.value) {
			if (textNode.excludedFromMarkdown) return;
			const ownsCaptionSpace = captionNeedsPreparation();
			if (ownsCaptionSpace) {
				if (textNode.value.charCodeAt(0) === 32) textNode.value = textNode.value.slice(1);
				if (!hasNonWhitespace(textNode.value)) return;
				flushCaptionBreakRun();
				prepareCaptionOutput(false);
				commitCaptionFrames();
				captionBoundary = 0;
			}
			if (state.pendingInlineWhitespace) {
				if (!textNode.value.trim()) return;
				if (lastChar && !" \n	\r".includes(lastChar) && !" \n	\r".includes(textNode.value[0] || "")) textNode.value = ` ${textNode.value}`;
				state.pendingInlineWhitespace = false;
			}
			if (plainText && state.depthMap[34] && state.buffer.length === 0) preserveLeadingWhitespace = true;
			if (textNode.value === " " && (lastChar === " " || lastChar === "\n" || lastChar === "	" || lastChar === "\r")) return;
			if (!ownsCaptionSpace && !(plainText && state.depthMap[34]) && shouldAddSpacingBeforeText(lastChar, lastNode, textNode)) textNode.value = ` ${textNode.value}`;
			if ((state.depthMap[34] || 0) > 0 && (state.depthMap[25] || 0) > 0) {
				const indent = state.listIndent;
				let value = textNode.value.replace(/\n(?!\n|$)/g, `\n${indent}`);
				if (lastChar === "\n" && value[0] && value[0] !== "\n") value = indent + value;
				textNode.value = value;
			}
			if (state.depthMap[34] > 0 && isInsideTableCell(state)) textNode.value = foldPreLinesToBr(textNode.value);
			const insideRawHtmlBlock = isInsideRawHtmlBlock(state.depthMap);
			let rawHtmlMarkdown = false;
			if (insideRawHtmlBlock) rawHtmlMarkdown = trackRawHtmlMarkdownContext(state.buffer, bufferScan);
			if (!plainText && !state.depthMap[34] && insideRawHtmlBlock) {
				let parent = rawHtmlLink ? textNode.parent : void 0;
				while (parent && parent !== rawHtmlLink) parent = parent.parent;
				textNode.value = escapeRawHtmlText(textNode.value, state.depthMap, rawHtmlLink !== void 0 && parent === rawHtmlLink);
			}
			if (!plainText && !state.depthMap[34] && !state.depthMap[23] && (!insideRawHtmlBlock || rawHtmlMarkdown) && mayNeedGfmTextEscape(textNode.value, state.buffer, state.depthMap) && (!insideRawHtmlBlock || !lineOpensRawHtmlBlock(state.buffer, bufferScan))) textNode.value = escapeGfmText(textNode.value, state.buffer, state.depthMap);
			if (textNode.generatedMarkdown && textNode.value) textNode.value = `${textNode.generatedMarkdown.prefix}${textNode.value}${textNode.generatedMarkdown.suffix}`;
			const wrapWidth = state.options?.wrapWidth;
			if (wrapWidth && canWrapHere(state.depthMap)) {
				const wrapped = wrapText(textNode.value, currentColumn(state.buffer), wrapWidth, continuationPrefix(textNode, state.listIndentWidths, state.blockquotes.length === 0));
				state.buffer.push(wrapped);
				state.lastContentCache = wrapped;
			} else {
				state.buffer.push(textNode.value);
				state.lastContentCache = textNode.value;
			}
			if (openMarkerCount || openLinkFragment >= 0) {
				const hasVisibleText = textNode.containsWhitespace === false || hasNonWhitespace(textNode.value);
				if (openLinkFragment >= 0 && hasVisibleText) openLinkFragment = -openLinkFragment - 2;
				if (openMarkerCount && hasVisibleText) {
					openMarkerCount = 0;
					commitCaptionFrames();
				}
			}
		}
		state.lastTextNode = textNode;
	}
	function processEvent(event) {
		const { type: eventType, node } = event;
		state.depth = node.depth;
		if (node.type === 1 ? node.excludedFromMarkdown : node.parent?.excludedFromMarkdown) return;
		if (htmlState) {
			processHtmlOutputEvent(event, htmlState, state.buffer, options);
			return;
		}
		if (state.listRulePending !== void 0) {
			const isVisibleText = node.type === 2 && eventType === 0 && hasNonWhitespace(node.value);
			const opensVisibleElement = node.type === 1 && eventType === 0 && !node.tagHandler?.excludesTextNodes;
			if (isVisibleText || opensVisibleElement) {
				const separator = blockOpenPrefix(state.buffer, state.listRulePending);
				state.buffer.push(separator);
				state.lastContentCache = separator;
				state.listRulePending = void 0;
			} else if (node.type === 1 && eventType === 1 && node.tagId === 25) state.listRulePending = void 0;
			else if (node.type === 2) return;
		}
		const lastNode = state.lastNode;
		state.lastNode = event.node;
		const buff = state.buffer;
		if (!plainText && state.preFencePending) {
			const preparePendingPreFence = () => {
				if (captionNeedsPreparation()) {
					flushCaptionBreakRun();
					prepareCaptionOutput(false);
					captionBoundary = 0;
				}
			};
			if (node.type === 1) {
				const pendingElement = node;
				const pendingHandler = pendingElement.tagHandler;
				const literalOverride = eventType === 0 ? pendingHandler?.literalEnter : pendingHandler?.literalExit;
				if (literalOverride && pendingElement.tagId === 23 && pendingElement.parent?.tagId === 34) state.preFenceLang = getLanguageFromClass(pendingElement.attributes?.class);
				if (pendingElement.pluginOutput?.length || literalOverride) {
					preparePendingPreFence();
					flushPreFence(state);
				} else if (consumePendingPreChild(state, node, eventType, preparePendingPreFence)) return;
			} else if (consumePendingPreChild(state, node, eventType, preparePendingPreFence)) return;
		}
		let lastBuffEntry = buff.at(-1);
		let lastChar = lastBuffEntry?.charAt(lastBuffEntry.length - 1) || "";
		if (!lastChar && state.pendingInlineWhitespace && eventType === 0) {
			const code = lastOutputChar(buff);
			if (code !== -1) lastChar = String.fromCharCode(code);
		}
		if (node.type === 2 && eventType === 0) {
			processTextNode(node, lastNode, lastChar);
			return;
		}
		if (node.type !== 1) return;
		const element = node;
		const handler = node.tagHandler;
		const tagId = element.tagId;
		const insideRawHtmlRegion = isInsideRawHtmlBlock(state.depthMap);
		if (insideRawHtmlRegion && !inRawHtmlRegion) {
			bufferScan[0] = false;
			bufferScan[1] = state.buffer.length;
			inRawHtmlRegion = true;
		}
		if (eventType === 0 && handler === breakHandler && !element.pluginOutput?.length) {
			const inPre = state.depthMap[34] !== 0;
			let breakOutput = plainText ? "\n" : renderBreak(element, state);
			if (captionBoundary !== 0 || captionFrameCount !== 0) {
				const pendingCaption = captionFrameCount !== 0 && (captionFrames[(captionFrameCount - 1) * CAPTION_FRAME_SIZE + 2] & CAPTION_OPEN) === 0;
				if (!inPre && breakOutput && !hasNonWhitespace(breakOutput) && buff.length === 0 && !hasYieldedContent && state.blockquotes.length === 0 && pendingCaption) breakOutput = void 0;
				if (breakOutput && hasNonWhitespace(breakOutput) && captionNeedsPreparation()) {
					flushCaptionBreakRun();
					prepareCaptionOutput(false);
					commitCaptionFrames();
					consumeCaptionTransition(false, 6);
					lastBuffEntry = buff.at(-1);
					lastChar = lastBuffEntry?.charAt(lastBuffEntry.length - 1) || "";
				}
			}
			if (plainText && !inPre) {
				let trailingNewLines = captionBreakRun;
				if (lastChar === "\n") {
					trailingNewLines++;
					if ((lastBuffEntry.length > 1 ? lastBuffEntry.charAt(lastBuffEntry.length - 2) : buff.length > 1 ? buff[buff.length - 2]?.at(-1) : void 0) === "\n") trailingNewLines++;
				}
				if (trailingNewLines >= 2) breakOutput = void 0;
			}
			if (state.pendingInlineWhitespace) state.pendingInlineWhitespace = false;
			const lastFragment = state.lastContentCache;
			const lastTextNode = state.lastTextNode;
			if (lastFragment && lastTextNode?.containsWhitespace && typeof lastTextNode.value === "string") {
				let parent = element.parent;
				let parentInPre = false;
				while (parent) {
					if (parent.tagId === 34) {
						parentInPre = true;
						break;
					}
					parent = parent.parent;
				}
				if (!parentInPre || element.parent?.tagId === 34) {
					if (breakOutput?.endsWith("\n") && !parentInPre) {
						const trimmed = trimAsciiWhitespaceEnd(lastFragment);
						if (trimmed.length !== lastFragment.length && buff.at(-1) === lastFragment) buff[buff.length - 1] = trimmed;
					}
					state.lastTextNode = void 0;
				}
			}
			const pendingCaption = captionFrameCount !== 0 && (captionFrames[(captionFrameCount - 1) * CAPTION_FRAME_SIZE + 2] & CAPTION_OPEN) === 0;
			if (breakOutput && pendingCaption && !hasNonWhitespace(breakOutput)) {
				for (let index = 0; index < captionFrameCount; index++) {
					const offset = index * CAPTION_FRAME_SIZE + 2;
					if ((captionFrames[offset] & CAPTION_OPEN) === 0) captionFrames[offset] = captionFrames[offset] | CAPTION_INTERNAL_BREAK;
				}
				captionBreakRun++;
			} else if (breakOutput) {
				buff.push(breakOutput);
				state.lastContentCache = breakOutput;
				if (openMarkerCount && hasNonWhitespace(breakOutput)) openMarkerCount = 0;
			}
			return;
		}
		let output;
		if (element.pluginOutput?.length) {
			output = element.pluginOutput;
			element.pluginOutput = void 0;
		}
		let captionBufferChanged = false;
		const eventFn = eventType === 0 ? "enter" : "exit";
		const isInlineElement = handler?.isInline === true;
		let gfmAction;
		let handlerOutput;
		const suppressedInPre = !plainText && (state.depthMap[34] || 0) > 0 && suppressesFormattingInPre(tagId) && !(eventType === 0 ? handler?.literalEnter : handler?.literalExit);
		if (!output && !suppressedInPre && handler?.[eventFn]) {
			if (openLinkFragment >= 0 && eventType === 1 && tagId === 26) {
				if (dropEmptyLinkText(buff, openLinkFragment)) {
					if (captionFrameCount !== 0) {
						captionBreakRun = openLinkCaptionBreakRun;
						restoreCaptionBreakFlags(captionFrames, openLinkCaptionFlags, captionFrameCount);
						resetRetractedCaptionFrames(captionFrames, captionFrameCount, openLinkFragment);
					}
					state.lastContentCache = buff.at(-1);
					state.lastTextNode = void 0;
					openLinkFragment = -1;
					return;
				}
			}
			const res = plainText ? getPlainTextOutput(element, eventType, state) : handler[eventFn]({
				node: element,
				state
			});
			if (typeof res === "string") {
				if (res) {
					output = [res];
					handlerOutput = res;
				}
			} else if (res) {
				gfmAction = res;
				handlerOutput = consumeGfmAction(res, state, gfmLifecycle);
				if (handlerOutput) output = [handlerOutput];
				if (res._tag === "BlockquoteExit") captionBufferChanged = true;
			}
		}
		if (captionBreakRun && !(tagId === 106 && eventType === 1) && output) {
			flushCaptionBreakRun();
			if (gfmAction?._tag !== "BlockquoteEnter") anchorPendingCaptions(state.buffer.length);
			captionBufferChanged = true;
		}
		const captionEvent = tagId === 106;
		let captionTransition = false;
		if (captionEvent || captionBoundary !== 0 || captionFrameCount !== 0) {
			const captionEnter = captionEvent && eventType === 0 && !state.depthMap[34];
			const captionExit = captionEvent && eventType === 1 && !state.depthMap[34];
			if (captionEnter) pushCaptionFrame(element, handler);
			let dropBlockquoteOutput = false;
			if (captionBoundary === 1 && eventType === 0 && tagId === 22) {
				captionBufferChanged = appendCaptionSpacing(captionBoundarySpacing, false) || captionBufferChanged;
				captionTransition = true;
				captionBoundary = 0;
				dropBlockquoteOutput = true;
				output = void 0;
				handlerOutput = void 0;
			}
			let meaningfulOutput = !dropBlockquoteOutput && output?.some(hasNonWhitespace) === true;
			if (meaningfulOutput && handlerOutput !== void 0) {
				const markerType = INLINE_MARKER_TYPE[tagId];
				const literal = eventType === 0 ? handler?.literalEnter : handler?.literalExit;
				if ((markerType || tagId === 26 && eventType === 0) && !literal) {
					if (captionBoundary === 1) {
						captionBufferChanged = appendCaptionSpacing(captionBoundarySpacing, true) || captionBufferChanged;
						captionTransition = true;
						captionBoundary = 2;
					}
					if (eventType === 0) {
						anchorPendingCaptions(state.buffer.length);
						captionTransition = true;
					}
					meaningfulOutput = false;
				}
			}
			const defaultCaptionExit = captionExit && handlerOutput !== void 0 && !handler?.literalExit;
			if (defaultCaptionExit) meaningfulOutput = false;
			if (captionExit && captionFrameCount !== 0) {
				const offset = (captionFrameCount - 1) * CAPTION_FRAME_SIZE;
				const opened = (captionFrames[offset + 2] & CAPTION_OPEN) !== 0;
				if (!opened && defaultCaptionExit) {
					output = void 0;
					handlerOutput = void 0;
				} else if (meaningfulOutput && captionNeedsPreparation()) {
					if (flushCaptionBreakRun()) captionBufferChanged = true;
					captionBufferChanged = prepareCaptionOutput(false) || captionBufferChanged;
					captionTransition = true;
					consumeCaptionTransition(isInlineElement, tagId);
				}
				finishCaptionFrame();
				if (!opened && flushCaptionBreakRun()) captionBufferChanged = true;
			} else if (meaningfulOutput && captionNeedsPreparation()) {
				captionBufferChanged = prepareCaptionOutput(captionEnter, tagId !== 25) || captionBufferChanged;
				captionTransition = true;
				consumeCaptionTransition(isInlineElement, tagId);
			}
			if (meaningfulOutput) commitCaptionFrames();
		}
		const lastFragment = state.lastContentCache;
		if (captionBufferChanged) {
			lastBuffEntry = buff.at(-1);
			lastChar = lastBuffEntry?.charAt(lastBuffEntry.length - 1) || "";
		}
		const secondLastChar = lastBuffEntry && lastBuffEntry.length > 1 ? lastBuffEntry.charAt(lastBuffEntry.length - 2) : buff.length > 1 ? buff[buff.length - 2]?.at(-1) : void 0;
		if (element.tagId === 26) {
			if (eventType === 0) rawHtmlLink = insideRawHtmlRegion && handlerOutput !== void 0 && !handler?.literalExit ? element : void 0;
			else rawHtmlLink = void 0;
		}
		let lastNewLines = 0;
		if (lastChar === "\n") lastNewLines++;
		if (secondLastChar === "\n") lastNewLines++;
		if (eventType === 1 && openMarkerCount) {
			const markerType = handlerOutput === void 0 ? 0 : INLINE_MARKER_TYPE[tagId];
			if (markerType && (tagId !== 23 || !state.depthMap[34] && !isInsideRawHtmlBlock(state.depthMap)) && !handler?.literalExit) {
				const idx = dropEmptyMarker(buff, openMarkers[--openMarkerCount], markerType);
				if (idx >= 0) {
					resetRetractedCaptionFrames(captionFrames, captionFrameCount, idx);
					state.lastContentCache = idx > 0 ? buff[idx - 1] : void 0;
					return;
				}
				openMarkerCount = 0;
			}
		}
		if (tagId === 6 && !state.depthMap[34] && output?.length === 1 && output[0] === "\n" && lastChar === "\n" && secondLastChar === "\n") output = void 0;
		const newLineConfig = suppressedInPre ? NO_SPACING : calculateNewLineConfig(node, state.depthMap, plainText);
		const quoteAtStart = eventType === 0 && state.blockquotes.at(-1)?.fragment === state.buffer.length;
		const configuredNewLines = quoteAtStart || captionEvent || captionTransition ? 0 : eventType === 1 && tagId === 13 && state.blockquotes.length > 0 ? Math.min(1, newLineConfig[eventType] || 0) : newLineConfig[eventType] || 0;
		let effectiveLastNewLines = lastNewLines;
		if (eventType === 1 && output) for (let i = output.length - 1; i >= 0; i--) {
			const frag = output[i];
			if (frag) {
				if (frag.endsWith("```") || frag.endsWith("~~~")) effectiveLastNewLines = 0;
				break;
			}
		}
		let newLines = Math.max(0, configuredNewLines - effectiveLastNewLines);
		if (newLines > 0 && buff.length === 0 && !hasYieldedContent) newLines = 0;
		if (state.pendingInlineWhitespace) {
			const firstOutput = output?.[0]?.[0] || "";
			if (eventType === 0) {
				if (!isInlineElement || tagId === 6 || newLines > 0 || firstOutput === "\n" || firstOutput === "\r") state.pendingInlineWhitespace = false;
				else if (firstOutput) {
					if (lastChar && !" \n	\r".includes(lastChar) && !" \n	\r".includes(firstOutput)) {
						state.buffer.push(" ");
						state.lastContentCache = " ";
						lastChar = " ";
					}
					state.pendingInlineWhitespace = false;
				}
			} else if (!isInlineElement || newLines > 0) state.pendingInlineWhitespace = false;
		}
		if (newLines > 0) {
			if (!buff.length && !captionEvent && !captionTransition) {
				if (output) {
					for (const fragment of output) if (fragment) {
						state.buffer.push(fragment);
						state.lastContentCache = fragment;
					}
				}
				if (gfmAction) commitGfmAction(gfmAction, state, gfmLifecycle, state.buffer.length);
				updateListIndent(state, element, eventType);
				return;
			}
			const newlinesStr = "\n".repeat(newLines);
			if (lastChar === " " && buff?.length) {
				buff[buff.length - 1] = buff.at(-1).substring(0, buff.at(-1).length - 1);
				state.lastTextNode = void 0;
			}
			if (eventType === 0) {
				if (output) output.unshift(newlinesStr);
				else output = [newlinesStr];
			} else if (output) output.push(newlinesStr);
			else output = [newlinesStr];
		} else if (lastFragment && state.lastTextNode?.containsWhitespace && (!!node.parent || isInlineElement) && "value" in state.lastTextNode && typeof state.lastTextNode.value === "string") {
			let parent = node.parent;
			let parentInPre = false;
			while (parent) {
				if (parent.tagId === 34) {
					parentInPre = true;
					break;
				}
				parent = parent.parent;
			}
			if (!parentInPre || node.parent?.tagId === 34) {
				const collapsesWhiteSpace = node.tagHandler?.collapsesInnerWhiteSpace;
				const hasSpacing = node.tagHandler?.spacing && Array.isArray(node.tagHandler.spacing);
				const isBlockElement = !isInlineElement && !collapsesWhiteSpace && configuredNewLines > 0;
				if (!quoteAtStart && (tagId === 6 && output?.[0]?.endsWith("\n") && !parentInPre || (!isInlineElement || eventType === 1) && !isBlockElement && !(collapsesWhiteSpace && eventType === 0) && !(hasSpacing && eventType === 0))) {
					const originalLength = lastFragment.length;
					const trimmed = trimAsciiWhitespaceEnd(lastFragment);
					if (originalLength - trimmed.length > 0) {
						if (buff?.length && buff.at(-1) === lastFragment) buff[buff.length - 1] = trimmed;
						if (eventType === 1 && isInlineElement) state.pendingInlineWhitespace = true;
					}
				}
				state.lastTextNode = void 0;
			}
		}
		if (!captionTransition && tagId !== 6 && output?.[0]?.[0] && eventType === 0 && !handler?.literalEnter && lastChar && needsSpacing(lastChar, output[0][0], state)) {
			state.buffer.push(" ");
			state.lastContentCache = " ";
		}
		let outputStart = state.buffer.length;
		if (output) {
			outputStart = state.buffer.length;
			for (const fragment of output) if (fragment) {
				state.buffer.push(fragment);
				state.lastContentCache = fragment;
			}
		}
		if (gfmAction) commitGfmAction(gfmAction, state, gfmLifecycle, outputStart);
		if (tagId === 25 && !plainText && !isInsideTableCell(state)) {
			if (eventType === 0) recordItemMarker(state, element.index);
			else resolveItemMarker(state, true);
		}
		if (eventType === 0 && tagId === 26 && outputStart < buff.length && buff.at(-1) === "[") {
			const fragment = buff.length - 1;
			const cleanCaptionLink = captionFrameCount !== 0 && cleanEmptyLinkText;
			openLinkFragment = cleanCaptionLink ? fragment : -fragment - 2;
			if (cleanCaptionLink) {
				openLinkCaptionBreakRun = captionBreakRun;
				const snapshot = openLinkCaptionFlags?.length === captionFrameCount ? openLinkCaptionFlags : new Uint8Array(captionFrameCount);
				for (let index = 0; index < captionFrameCount; index++) snapshot[index] = captionFrames[index * CAPTION_FRAME_SIZE + 2] & CAPTION_INTERNAL_BREAK;
				openLinkCaptionFlags = snapshot;
			}
		}
		if (eventType === 0 && handlerOutput !== void 0 && isInlineElement && !handler?.literalEnter) {
			const markerType = INLINE_MARKER_TYPE[tagId];
			if (markerType && (tagId !== 23 || !state.depthMap[34] && !isInsideRawHtmlBlock(state.depthMap)) && buff[buff.length - 1] === handlerOutput) openMarkers[openMarkerCount++] = buff.length - 1 << 3 | markerType;
			else if (openMarkerCount && !(tagId === 26 && cleanEmptyLinkText) && hasNonWhitespace(handlerOutput)) {
				openMarkerCount = 0;
				commitCaptionFrames();
			}
		} else if (openMarkerCount && (eventType === 1 && handler?.literalExit || tagId !== -1 && !isInlineElement || output?.some(hasNonWhitespace))) openMarkerCount = 0;
		if (eventType === 1 && tagId === 26) openLinkFragment = -1;
		updateListIndent(state, element, eventType);
		if (!insideRawHtmlRegion && inRawHtmlRegion) {
			bufferScan[0] = false;
			bufferScan[1] = state.buffer.length;
			inRawHtmlRegion = false;
		}
	}
	function processHtml(html) {
		const parseState = {
			depthMap: state.depthMap,
			depth: 0,
			resolvedPlugins,
			tagOverrideHandlers,
			plainText: outputFormat !== "markdown"
		};
		const handleEvent = resolvedPlugins.length ? (event) => processPluginsForEvent(event, resolvedPlugins, state, processEvent) : processEvent;
		finalizeParse(parseHtmlStream(html, parseState, handleEvent), parseState, handleEvent);
	}
	function getMarkdown() {
		const content = state.buffer.join("");
		if (htmlState) {
			state.buffer.length = 0;
			return content;
		}
		const result = plainText && preserveLeadingWhitespace ? content : content.trimStart();
		state.buffer.length = 0;
		preserveLeadingWhitespace = false;
		return result.trimEnd();
	}
	function getMarkdownChunk() {
		if (htmlState) {
			const chunk = state.buffer.join("");
			state.buffer.length = 0;
			return chunk;
		}
		let unresolvedCaptionFragment = -1;
		if (state.emptyItemFragment !== void 0 && captionFrames) for (let index = 0; index < captionFrameCount; index++) {
			const offset = index * CAPTION_FRAME_SIZE;
			const anchor = captionFrames[offset + 3];
			if (anchor !== CAPTION_NO_ANCHOR) {
				unresolvedCaptionFragment = anchor;
				break;
			}
		}
		resolveItemMarker(state, false, unresolvedCaptionFragment);
		const content = state.buffer.join("");
		const currentContent = hasYieldedContent || plainText && preserveLeadingWhitespace ? content : content.trimStart();
		const inPre = state.depthMap[34] !== 0;
		let stableLength = currentContent.length;
		let retainMutableFragments = false;
		if (inPre) {
			const trailingCode = currentContent.charCodeAt(stableLength - 1);
			while (stableLength > 0 && currentContent.charCodeAt(stableLength - 1) === 32) stableLength--;
			retainMutableFragments = stableLength < currentContent.length;
			if (state.lastTextNode?.containsWhitespace && isAsciiWhitespace(trailingCode)) {
				stableLength = trimAsciiWhitespaceEnd(currentContent).length;
				retainMutableFragments = stableLength < currentContent.length;
			} else if (stableLength < currentContent.length) {
				if (!(stableLength === 0 || currentContent.charCodeAt(stableLength - 1) === 10)) {
					stableLength = currentContent.length;
					retainMutableFragments = false;
				}
			}
		} else {
			while (stableLength > 0) {
				const code = currentContent.charCodeAt(stableLength - 1);
				if (code !== 32 && code !== 10) break;
				stableLength--;
			}
			retainMutableFragments = stableLength < currentContent.length;
		}
		const leadingTrimmed = content.length - currentContent.length;
		let heldFragment = Math.min(openMarkerCount ? openMarkers[0] >> 3 : Infinity, gfmLifecycle.openCodeSpans[0]?.fragment ?? Infinity, state.emptyItemFragment ?? Infinity, state.codeFence?.fragment ?? Infinity, state.blockquotes[0]?.fragment ?? Infinity, openLinkFragment === -1 ? Infinity : openLinkFragment < -1 ? -openLinkFragment - 2 : openLinkFragment);
		for (let index = 0; index < captionFrameCount; index++) {
			const offset = index * CAPTION_FRAME_SIZE;
			const anchor = captionFrames[offset + 3];
			if ((captionFrames[offset + 2] & CAPTION_OPEN) === 0 && anchor !== CAPTION_NO_ANCHOR) {
				heldFragment = Math.min(heldFragment, anchor);
				break;
			}
		}
		const fragmentHeld = heldFragment !== Infinity;
		if (fragmentHeld) stableLength = Math.min(stableLength, trimBufferedWhitespacePosition(currentContent, fragmentPosition(state.buffer, heldFragment) - leadingTrimmed));
		const headingHeld = isInsideHeading(state.depthMap);
		if (headingHeld) {
			let headingPos = currentContent.length;
			while (headingPos > 0) {
				const code = currentContent.charCodeAt(headingPos - 1);
				if (code !== 35 && code !== 32 && code !== 9) break;
				headingPos--;
			}
			if (headingPos < stableLength) stableLength = headingPos;
		}
		if (stableLength < lastYieldedLength) stableLength = lastYieldedLength;
		const newContent = currentContent.slice(lastYieldedLength, stableLength);
		lastYieldedLength = stableLength;
		if (newContent) hasYieldedContent = true;
		if (!fragmentHeld && !headingHeld && (!retainMutableFragments || !inPre)) {
			if (!resolvedPlugins.length && !options.wrapWidth) {
				if (retainMutableFragments && leadingTrimmed === 0) {
					const lastFragment = state.buffer.at(-1);
					const fragmentStart = currentContent.length - lastFragment.length;
					const tailStart = Math.max(0, Math.min(stableLength - 2, fragmentStart));
					const emittedTail = currentContent.slice(tailStart, fragmentStart);
					state.buffer.length = 0;
					resetBufferScanCursors(bufferScan);
					if (emittedTail) state.buffer.push(emittedTail);
					state.buffer.push(lastFragment);
					lastYieldedLength = stableLength - tailStart;
				} else if (!retainMutableFragments) {
					const tailStart = Math.max(0, stableLength - 2);
					const emittedTail = currentContent.slice(tailStart, stableLength);
					state.buffer.length = 0;
					resetBufferScanCursors(bufferScan);
					if (emittedTail) state.buffer.push(emittedTail);
					lastYieldedLength = emittedTail.length;
				}
			} else if (!retainMutableFragments && state.buffer.length > 1) {
				state.buffer.length = 0;
				resetBufferScanCursors(bufferScan);
				state.buffer.push(currentContent);
			}
		}
		return newContent;
	}
	return {
		processEvent,
		processHtml,
		getMarkdown,
		getMarkdownChunk,
		state
	};
}
async function* streamHtmlToMarkdown$1(htmlStream, options = {}, resolvedPlugins = [], tagOverrideHandlers) {
	if (!htmlStream) throw new Error("Invalid HTML stream provided");
	const decoder = new TextDecoder();
	const reader = htmlStream.getReader();
	const processor = createMarkdownProcessor(options, resolvedPlugins, tagOverrideHandlers);
	const parseState = {
		depthMap: processor.state.depthMap,
		depth: 0,
		resolvedPlugins,
		tagOverrideHandlers,
		plainText: options.format === "text" || options.format === "html"
	};
	const handleEvent = resolvedPlugins.length ? (event) => processPluginsForEvent(event, resolvedPlugins, processor.state, processor.processEvent) : processor.processEvent;
	let remainingHtml = "";
	try {
		while (true) {
			const { done, value } = await reader.read();
			if (done) break;
			const decoded = typeof value === "string" ? decoder.decode() + value : decoder.decode(value, { stream: true });
			remainingHtml = parseHtmlStream(`${remainingHtml}${decoded}`, parseState, handleEvent);
			const chunk = processor.getMarkdownChunk();
			if (chunk) yield chunk;
		}
		const decoderTail = decoder.decode();
		const finalHtml = remainingHtml + decoderTail;
		finalizeParse(finalHtml ? parseHtmlStream(finalHtml, parseState, handleEvent) : "", parseState, handleEvent);
		const finalChunk = processor.getMarkdownChunk();
		if (finalChunk) yield finalChunk;
	} finally {
		reader.releaseLock();
	}
}
function resolveHooks(options) {
	const plugins = Array.isArray(options.plugins) ? options.plugins : void 0;
	const hooks = options.hooks?.length ? options.hooks : void 0;
	if (!plugins?.length) return hooks || [];
	if (!hooks) return plugins;
	return [...plugins, ...hooks];
}
function resolveTagOverrides(options) {
	return !Array.isArray(options.plugins) ? options.plugins?.tagOverrides : void 0;
}
function streamHtmlToMarkdown(htmlStream, options = {}) {
	const plugins = resolveHooks(options);
	const tagOverrides = resolveTagOverrides(options);
	return streamHtmlToMarkdown$1(htmlStream, options, plugins, tagOverrides ? buildTagOverrideHandlers(tagOverrides) : void 0);
}
const pieceCharacters = 16384;
globalThis.TextDecoder ??= class {
	decode() {
		return "";
	}
};
async function markdownInPieces(html, characters, options) {
	let markdown = "";
	for await (const piece of streamHtmlToMarkdown(streamOf(html), options)) {
		markdown += piece;
		if (markdown.length > characters) return {
			markdown,
			complete: false
		};
	}
	return {
		markdown: markdown.trim(),
		complete: true
	};
}
function streamOf(html) {
	let at = 0;
	return { getReader: () => ({
		async read() {
			if (at >= html.length) return { done: true };
			const value = html.slice(at, at + pieceCharacters);
			at += pieceCharacters;
			return {
				done: false,
				value
			};
		},
		releaseLock: () => void 0
	}) };
}
const navigation = new Set([
	"nav",
	"footer",
	"menu"
]);
const unread = new Set([...[
	"script",
	"style",
	"template",
	"noscript",
	"iframe",
	"object",
	"canvas",
	"svg",
	"math"
], ...[
	"button",
	"select",
	"input",
	"textarea",
	"dialog",
	"audio",
	"video",
	"map"
]]);
const written = {
	details: "div",
	summary: "p",
	dl: "div",
	dt: "p",
	dd: "blockquote"
};
const [element, enter] = [1, 0];
async function readPage(html, url, characters) {
	let base = url;
	let title;
	const apart = new WeakMap();
	const linked = new WeakMap();
	const links = {
		content: [],
		navigation: []
	};
	const look = (node) => {
		const { name, attributes, parent } = node;
		const place = (parent ? apart.get(parent) : void 0) ?? placeOf(name, attributes);
		if (place !== void 0) apart.set(node, place);
		const link = parent ? linked.get(parent) : void 0;
		if (link !== void 0) linked.set(node, link);
		if (place === "unread") return;
		if (name === "base" && base === url) base = resolveUrl$1(attributes["href"] ?? "", url) ?? url;
		if (name === "a") lookAtLink(node, place === "navigation" ? "navigation" : "content");
		if (name === "img") lookAtImage(node);
	};
	const lookAtLink = (node, place) => {
		const { attributes } = node;
		const reference = attributes["href"];
		if (reference === void 0) return;
		const target = reference.trim().startsWith("#") ? void 0 : resolveUrl$1(reference, base);
		delete attributes["href"];
		if (target === void 0) return;
		attributes["href"] = target;
		const link = {
			text: "",
			url: target
		};
		linked.set(node, link);
		links[place].push(link);
	};
	const lookAtImage = (image) => {
		const { attributes } = image;
		const target = resolveUrl$1(attributes["src"] ?? "", base);
		if (target === void 0 || !attributes["alt"]) apart.set(image, "unread");
		else attributes["src"] = target;
	};
	const beforeNodeProcess = ({ type, node }) => {
		if (node.type === element) {
			if (type === enter) look(node);
			return { skip: apart.has(node) };
		}
		const { parent } = node;
		if (!parent) return void 0;
		const { value } = node;
		const link = linked.get(parent);
		if (link !== void 0) link.text += value;
		if (apart.get(parent) === "title") title ??= value;
		return { skip: apart.has(parent) };
	};
	const read = await markdownInPieces(html, characters, {
		hooks: [{ beforeNodeProcess }],
		plugins: { tagOverrides: written }
	});
	return {
		title: title === void 0 ? null : spaced(title),
		...read,
		links: once([...links.content, ...links.navigation])
	};
}
function placeOf(name, attributes) {
	if (name === "title") return "title";
	if (unread.has(name) || "hidden" in attributes || attributes["aria-hidden"] === "true") return "unread";
	return navigation.has(name) || attributes["role"] === "navigation" ? "navigation" : void 0;
}
function once(links) {
	const found = new Map();
	for (const { text, url } of links) {
		const words = spaced(text);
		if (words !== "" && !found.has(url)) found.set(url, {
			text: words,
			url
		});
	}
	return [...found.values()];
}
function spaced(text) {
	return text.replace(/\s+/g, " ").trim();
}
function cut(text, characters) {
	if (text.length <= characters) return {
		text,
		truncated: false
	};
	const line = text.lastIndexOf("\n", characters);
	const end = line > characters * .8 ? line : characters;
	return {
		text: text.slice(0, end).replace(/[\ud800-\udbff]$/, ""),
		truncated: true
	};
}
function fenced(text, language) {
	if (text === "") return "";
	const longest = (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
const linksMax = 200;
async function webFetch({ url, maxCharacters = 2e4 }) {
	const { url: at, response } = await follow(url);
	const { status } = response;
	const form = formOf(at, response);
	const text = response.text();
	if (form !== "html") {
		const { text: shown, truncated } = cut(text, maxCharacters);
		return {
			url: at,
			status,
			title: null,
			markdown: form === "markdown" ? shown : fenced(shown, form),
			links: [],
			truncated
		};
	}
	const { title, markdown, complete, links } = await readPage(text, at, maxCharacters);
	const { text: shown, truncated } = cut(markdown, maxCharacters);
	return {
		url: at,
		status,
		title,
		markdown: shown,
		links: links.slice(0, linksMax),
		truncated: truncated || !complete
	};
}
export { webFetch as default };
