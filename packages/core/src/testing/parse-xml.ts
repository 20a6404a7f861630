import { SaxesParser } from 'saxes';

/** An element as a conforming XML 1.0 parser reads it. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  /** Its own text, joined, without its children's. */
  text: string;
  children: XmlElement[];
}

/** Parses a document; throws if it is not well-formed. */
export function parseXml(document: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: XmlElement = { name, attributes: { ...attributes }, text: '', children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(document).close();
  const [only] = root.children;
  if (only === undefined) throw new Error('the document has no element');
  return only;
}
