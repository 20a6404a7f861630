/** The style of the reference page, for light and dark mode. */
export const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d9d9e0; --back: #fcfcfd; --raised: #f2f2f5; --accent: #0a5fb4; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #a0a4ab; --line: #36393f; --back: #111113; --raised: #1c1d20; --accent: #6cb6ff; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--back); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { background: var(--raised); padding: .1em .3em; border-radius: .25em; overflow-wrap: anywhere; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: .5em; padding: .8em 1em; overflow-x: auto; }
small { color: var(--soft); font-weight: normal; }
b[title] { color: #c62a2f; }
.skip { position: absolute; left: -99em; }
.skip:focus { left: 1rem; top: 1rem; background: var(--back); padding: .5em; }
.frame { display: grid; grid-template-columns: 19rem minmax(0, 1fr); max-width: 84rem; margin: auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .875rem; }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.4rem 0 .3rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5em; padding: .15rem .3rem; border-radius: .3em; color: inherit; }
nav li a:hover { background: var(--raised); text-decoration: none; }
nav code { background: none; padding: 0; }
main { padding: 1.5rem 2.5rem 6rem; min-width: 0; }
h1 { margin: 0 0 .2rem; }
section > h2 { margin: 3rem 0 .3rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
article { border-bottom: 1px solid var(--line); padding: .6rem 0 1.4rem; }
h3 { margin: 1.2rem 0 .4rem; font-size: 1.05rem; }
h3 a { color: inherit; }
h4 { margin: 1.3rem 0 .4rem; font-size: .95rem; }
.method { display: inline-block; min-width: 3.6em; font: 700 .75em ui-monospace, monospace; color: var(--accent); }
.method.post { color: #1c7d3f; } .method.delete { color: #c62a2f; }
@media (prefers-color-scheme: dark) { .method.post { color: #63d98b; } .method.delete, b[title] { color: #ff8a8a; } }
.status { font: 700 .875em ui-monospace, monospace; }
.scope { color: var(--soft); font-size: .9rem; }
.item::before { content: '· '; } .item { margin: .2em 0; }
table.fields { border-collapse: collapse; width: 100%; font-size: .9rem; }
.fields th { text-align: left; font-weight: normal; white-space: nowrap; width: 1%; padding-right: 1.2em !important; }
.fields th, .fields td { border-top: 1px solid var(--line); padding: .35em .2em; vertical-align: top; }
.fields table.fields { margin-left: .6em; width: calc(100% - .6em); }
summary { cursor: pointer; color: var(--accent); font-size: .875rem; }
.refusals { margin-top: 1.2rem; }
@media (max-width: 52rem) { .frame { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } .fields th { white-space: normal; width: 30%; } }
`;
