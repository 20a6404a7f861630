import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { isWhole } from '../../../../../../test/support/whole.ts';
import { scriptOf } from '../../testing/script-world.ts';

const script = new URL('../../../../../../skills/web-fetch/index.js', import.meta.url);
const call = await scriptOf({ 'index.js': await readFile(script) });

interface Answer {
  status: number;
  headers: Record<string, string>;
  text?: string;
  base64?: string;
}
type Site = Record<string, Answer>;

const url = 'https://docs.test/guide/start';

function page(text: string, type = 'text/html; charset=utf-8', status = 200): Answer {
  return { status, headers: { 'content-type': type }, text };
}

function redirect(location: string, status = 302): Answer {
  return { status, headers: { location }, text: '' };
}

/** The result of a call on a network with only these pages, and the requested URLs. */
async function onSite(site: Site, input: object = { url }, bounds: { fuel?: bigint } = {}) {
  const asked: string[] = [];
  const answer = await call({
    input,
    ...bounds,
    invoke: (name, [request]) => {
      expect(name).toBe('http_request');
      const { method, url, body } = request as { method: string; url: string; body?: string };
      expect([method, body]).toEqual(['GET', undefined]);
      asked.push(url);
      const found = site[url];
      if (found === undefined) throw new Error(`network ${new URL(url).host}: no grant covers it`);
      return found;
    },
  });
  return { ...answer, asked };
}

/** The output for one page, or the first line of the error. */
async function fetched(answer: Answer, input: object = {}): Promise<unknown> {
  const { output, verdict } = await onSite({ [url]: answer }, { url, ...input });
  return output ?? firstLine(verdict);
}

function firstLine(verdict: object): string | undefined {
  return 'trap' in verdict ? String(verdict.trap).split('\n')[0] : JSON.stringify(verdict);
}

/** The output for a page with the body `html`. */
async function read(html: string): Promise<{ title: string | null; markdown: string; links: object[] }> {
  return (await fetched(page(html))) as Awaited<ReturnType<typeof read>>;
}

test('a page is returned as its title, its text as Markdown, and its links', async () => {
  const html = `<!doctype html><html><head><title> The
    guide &amp; more</title><style>p { color: red }</style><script>if (1 < 2) document.write('<p>no</p>')</script></head>
    <body><nav><a href="/">Home</a></nav>
    <h1>Start</h1><p>Some <b>bold</b> and <code>code</code>, see <a href="../api?x=1&amp;y=2#z">the <i>API</i></a>.</p>
    <ul><li>one<li>two<ul><li>inner</ul></ul>
    <pre><code class="language-js">if (a &lt; b) {\n  c();\n}</code></pre>
    <table><tr><th>Key<th>What</tr><tr><td>a|b<td>1</tr></table>
    <img src="plan.png" alt="The plan"><img src="dot.gif"><p hidden>unseen</p>
    <footer><a href="https://other.test">Imprint</a></footer></body></html>`;
  expect(await fetched(page(html))).toEqual({
    url,
    status: 200,
    title: 'The guide & more',
    markdown: [
      '# Start',
      'Some **bold** and `code`, see [the *API*](https://docs.test/api?x=1&y=2).',
      '- one\n- two\n  - inner',
      '```js\nif (a < b) {\n  c();\n}\n```',
      '| Key | What |\n| --- | --- |\n| a\\|b | 1 |',
      '![The plan](https://docs.test/guide/plan.png)',
    ].join('\n\n'),
    links: [
      { text: 'the API', url: 'https://docs.test/api?x=1&y=2' },
      { text: 'Home', url: 'https://docs.test/' },
      { text: 'Imprint', url: 'https://other.test/' },
    ],
    truncated: false,
  });
});

test('details and definition lists become Markdown', async () => {
  const html =
    '<details><summary>More</summary><p>Some <code>a&lt;b</code></p></details><dl><dt>Key<dd>What <b>it</b> is</dl><p>end';
  expect((await read(html)).markdown).toBe('More\n\nSome `a<b`\n\nKey\n\n> What **it** is\n\nend');
});

describe('links', () => {
  // RFC 3986, section 5.4, without fragments, which this skill leaves out.
  const base = 'http://a/b/c/d;p?q';
  const examples: [reference: string, target: string][] = [
    ['g', 'http://a/b/c/g'],
    ['./g', 'http://a/b/c/g'],
    ['g/', 'http://a/b/c/g/'],
    ['/g', 'http://a/g'],
    ['//g', 'http://g/'],
    ['?y', 'http://a/b/c/d;p?y'],
    ['g?y', 'http://a/b/c/g?y'],
    [';x', 'http://a/b/c/;x'],
    ['g;x?y#s', 'http://a/b/c/g;x?y'],
    ['', 'http://a/b/c/d;p?q'],
    ['.', 'http://a/b/c/'],
    ['./', 'http://a/b/c/'],
    ['..', 'http://a/b/'],
    ['../g', 'http://a/b/g'],
    ['../..', 'http://a/'],
    ['../../g', 'http://a/g'],
    ['../../../../g', 'http://a/g'],
    ['/./g', 'http://a/g'],
    ['/../g', 'http://a/g'],
    ['g.', 'http://a/b/c/g.'],
    ['..g', 'http://a/b/c/..g'],
    ['./g/.', 'http://a/b/c/g/'],
    ['g/./h', 'http://a/b/c/g/h'],
    ['g/../h', 'http://a/b/c/h'],
    ['g;x=1/../y', 'http://a/b/c/y'],
    ['g?y/../x', 'http://a/b/c/g?y/../x'],
    ['HTTPS://b', 'https://b/'],
    ['ü b', 'http://a/b/c/%C3%BC%20b'],
    ['a\n b', 'http://a/b/c/a%20b'],
  ];

  test.each(examples)('%j leads to %s', async (reference, target) => {
    const html = `<base href="${base}"><p><a href="${reference}">x</a></p>`;
    expect(await read(html)).toMatchObject({
      markdown: `[x](${target})`,
      links: [{ text: 'x', url: target }],
    });
  });

  test.each([
    '#part',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'mailto:a@b.test',
    'data:text/html,x',
    'file:///etc/passwd',
    'http:',
  ])('the text of a link to %j is included, and the link is not', async (reference) => {
    const html = `<p><a href="${reference}">x</a></p>`;
    expect(await read(html)).toMatchObject({ markdown: 'x', links: [] });
  });

  test('each link is listed once, and at most 200', async () => {
    const html = Array.from({ length: 500 }, (_, index) => `<a href="/${index >> 1}">${index}</a> `).join('');
    const { links } = await read(html);
    expect(links.length).toBe(200);
    expect(links.slice(0, 2)).toEqual([
      { text: '0', url: 'https://docs.test/0' },
      { text: '2', url: 'https://docs.test/1' },
    ]);
  });
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'a redirect with status %i is followed, relative to its URL',
    async (status) => {
      const site = {
        [url]: redirect('../new?x#part', status),
        'https://docs.test/new?x': redirect('//www.test', status),
        'https://www.test/': page('<p><a href="a">x</a>'),
      };
      const { output, asked } = await onSite(site);
      expect(asked).toEqual(Object.keys(site));
      expect(output).toMatchObject({ url: 'https://www.test/', markdown: '[x](https://www.test/a)' });
    },
  );

  test('five redirects are followed, and a sixth is not', async () => {
    const chain = (length: number): Site => ({
      ...Object.fromEntries(
        Array.from({ length }, (_, index) => [`https://docs.test/${index}`, redirect(`/${index + 1}`)]),
      ),
      [`https://docs.test/${length}`]: page('there'),
    });
    const input = { url: 'https://docs.test/0' };
    expect((await onSite(chain(5), input)).output).toMatchObject({ markdown: 'there' });
    const { verdict, asked } = await onSite(chain(6), input);
    expect(firstLine(verdict)).toBe(
      'Error: https://docs.test/0 redirects more than 5 times, last to https://docs.test/6',
    );
    expect(asked.length).toBe(6);
  });

  test('the target of a redirect needs a grant too', async () => {
    const { verdict } = await onSite({ [url]: redirect('http://169.254.169.254/latest') });
    expect(firstLine(verdict)).toBe(
      `Error: ${url} redirects to http://169.254.169.254/latest: network 169.254.169.254: no grant covers it`,
    );
  });

  test('a redirect to an invalid URL fails with its target', async () => {
    const { verdict } = await onSite({ [url]: redirect('file:///etc/passwd') });
    expect(firstLine(verdict)).toBe(
      `Error: ${url} redirects to file:///etc/passwd, which is not an http or https URL`,
    );
  });
});

test('a refused request fails with the message of the refusal', async () => {
  const { verdict } = await onSite({});
  expect(firstLine(verdict)).toBe('Error: network docs.test: no grant covers it');
});

test.each(['docs.test', '/etc/passwd', 'ftp://docs.test/', 'https://', ' '])(
  'no request is made for %j',
  async (given) => {
    const { verdict, asked } = await onSite({}, { url: given });
    expect([firstLine(verdict), asked]).toEqual([`Error: ${given} is not an http or https URL`, []]);
  },
);

test('an error page is returned with its status', async () => {
  const answer = page('<title>Not found</title><p>It has <a href="/new">moved</a>.', 'text/html', 404);
  expect(await fetched(answer)).toEqual({
    url,
    status: 404,
    title: 'Not found',
    markdown: 'It has [moved](https://docs.test/new).',
    links: [{ text: 'moved', url: 'https://docs.test/new' }],
    truncated: false,
  });
});

describe('content that is not HTML', () => {
  test.each([
    ['text/plain', 'a < b\n', '```\na < b\n```'],
    ['application/json; charset=UTF-8', '{"a":1}', '```json\n{"a":1}\n```'],
    ['application/problem+json', '{}', '```json\n{}\n```'],
    ['application/atom+xml', '<a/>', '```xml\n<a/>\n```'],
    ['text/csv', 'a,b', '```csv\na,b\n```'],
    ['text/markdown', '# A\n', '# A\n'],
    ['text/plain', 'a\n````\nb', '`````\na\n````\nb\n`````'],
    ['text/plain', '', ''],
  ])('%s is returned unchanged', async (type, text, markdown) => {
    expect(await fetched(page(text, type))).toEqual({
      url,
      status: 200,
      title: null,
      markdown,
      links: [],
      truncated: false,
    });
  });

  test.each(['image/png', 'application/pdf', 'application/octet-stream'])(
    'content of type %s is refused',
    async (type) => {
      expect(await fetched({ status: 200, headers: { 'content-type': type }, base64: 'AA==' })).toBe(
        `Error: ${url} is ${type}; web-fetch reads only HTML and text`,
      );
    },
  );

  test('the type of content without a header is detected', async () => {
    const untyped = (text: string) => ({ status: 200, headers: {}, text });
    expect(await fetched(untyped('\n<!DOCTYPE html><p>a'))).toMatchObject({ markdown: 'a' });
    expect(await fetched(untyped('a <p>'))).toMatchObject({ markdown: '```\na <p>\n```' });
  });
});

describe('UTF-8', () => {
  test('a UTF-8 page is returned completely', async () => {
    expect(await read('<p>Grüße &euro; 🦊 &#x65E5;本')).toMatchObject({ markdown: 'Grüße € 🦊 日本' });
  });

  test('a page with another charset in its header is refused', async () => {
    expect(await fetched(page('<p>x', 'text/html; charset="ISO-8859-1"'))).toBe(
      `Error: ${url} is in iso-8859-1; web-fetch reads only UTF-8`,
    );
  });

  test('a page with bytes that are not UTF-8 is refused', async () => {
    const headers = { 'content-type': 'text/html' };
    expect(await fetched({ status: 200, headers, base64: '/w==' })).toBe(
      `Error: the response from ${url} is not UTF-8`,
    );
  });
});

describe('a huge page', () => {
  const paragraphs = (count: number) =>
    Array.from({ length: count }, (_, index) => `<p>Paragraph ${index} 🦊 with <b>words</b>.</p>`).join('\n');

  test('a huge page is cut at the end of a line', async () => {
    const output = (await fetched(page(paragraphs(40_000)))) as { markdown: string; truncated: boolean };
    expect(output.truncated).toBe(true);
    expect(output.markdown.length).toBeGreaterThan(19_900);
    expect(output.markdown.length).toBeLessThanOrEqual(20_000);
    expect(output.markdown.startsWith('Paragraph 0 🦊 with **words**.\n\nParagraph 1 🦊')).toBe(true);
    expect(output.markdown.endsWith('.\n')).toBe(true);
  });

  test('the cost of a huge page depends on the returned part', async () => {
    const [less, more] = [
      await onSite({ [url]: page(paragraphs(2000)) }),
      await onSite({ [url]: page(paragraphs(20_000)) }),
    ];
    expect(more.output).toEqual(less.output);
    expect(more.fuelConsumed).toBeLessThan(less.fuelConsumed * 1.5);
    expect(more.memoryPeakBytes).toBeLessThan(64 * 1024 * 1024);
  });

  test('a page that fits is returned whole, without traces of its pieces', async () => {
    const html = paragraphs(3000);
    expect(await fetched(page(html), { maxCharacters: 500_000 })).toMatchObject({
      truncated: false,
      markdown: Array.from({ length: 3000 }, (_, index) => `Paragraph ${index} 🦊 with **words**.`).join(
        '\n\n',
      ),
    });
  });

  test('a huge text is cut within its block, and never within a character', async () => {
    expect(await fetched(page('🦊'.repeat(100), 'text/plain'), { maxCharacters: 101 })).toMatchObject({
      markdown: `\`\`\`\n${'🦊'.repeat(50)}\n\`\`\``,
      truncated: true,
    });
  });

  test.each([
    ['nested deep', '<div>', 20_000],
    ['with lists in lists', '<ul><li>', 2000],
    ['of beginnings of tags', '<', 50_000],
    ['of attributes that never end', '<a href="', 10_000],
    ['of comments that never end', '<!--', 10_000],
  ])('conversion of a page %s ends', async (_, piece, count) => {
    const html = piece.repeat(isWhole ? count : count / 5);
    const { verdict } = await onSite({ [url]: page(html) }, { url }, { fuel: 20_000_000_000n });
    expect(verdict).toEqual({ status: 'returned' });
  });
});
