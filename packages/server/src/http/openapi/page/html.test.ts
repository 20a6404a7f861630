// Threat model: T239

import { expect, test } from 'vitest';
import { html, inline, prose } from './html.ts';

test('values are escaped wherever they are inserted', () => {
  const evil = `"><script>alert('&')</script>`;
  expect(html`<a title="${evil}">${evil}</a>${[html`<b>${evil}</b>`, 1, undefined]}`.text).toBe(
    [
      '<a title="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;">',
      '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</a>',
      '<b>&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</b>1',
    ].join(''),
  );
});

test('Markdown supports paragraphs, lists, code and web links', () => {
  expect(prose('One `<b>`.\n- two\n- [three](https://a.example/b)').text).toBe(
    '<p>One <code>&lt;b&gt;</code>.</p><p class="item">two</p><p class="item"><a href="https://a.example/b" rel="noreferrer">three</a></p>',
  );
  expect(inline('[x](javascript:alert(1)) **b** <i>').text).toBe('[x](javascript:alert(1)) **b** &lt;i&gt;');
});
