import { imageTypeOf } from '../format/image-type.ts';
import { bytesText } from '../format/units.ts';
import { visibleText } from '../format/visible.ts';
import { save } from '../session/download.ts';

/** A larger image is only saved. */
const imageCharactersMax = 8 * 1024 * 1024;

/**
 * Bytes that a skill made, in base64: to be saved, and shown if they are an image of pixels. `name` is what the file is called;
 * an image without an extension gets its own.
 */
export function Bytes({ base64, name }: { base64: string; name: string }) {
  const type = imageTypeOf(base64);
  const fileName = visibleText(name.split('/').at(-1) ?? name);
  const file = type === undefined || /\.\w+$/.test(fileName) ? fileName : `${fileName}.${type.slice(6)}`;
  return (
    <figure class="bytes">
      {type !== undefined && base64.length <= imageCharactersMax && (
        // The page's policy allows images of this form, and no other content in them.
        <img src={`data:${type};base64,${base64}`} alt={`Made by the skill: ${fileName}`} />
      )}
      <figcaption>
        {type === undefined ? 'Bytes that are not text' : `An image, ${type}`}, {bytesText(sizeOf(base64))}{' '}
        <button
          type="button"
          aria-label={`Save ${file}`}
          onClick={() => save(new Blob([bytesIn(base64)], { type: 'application/octet-stream' }), file)}
        >
          Save
        </button>
      </figcaption>
    </figure>
  );
}

function sizeOf(base64: string): number {
  return (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);
}

function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
