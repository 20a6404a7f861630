import { Block } from '../part/visible.tsx';
import { Bytes } from './bytes.tsx';
import { outputsIn, type PrintedOutput } from './outputs-in.ts';

/** The stored input or output of a call. What a program printed is shown line by line, and bytes only if they are whole. */
export function Payload({ text, isCut, label }: { text: string; isCut: boolean; label: string }) {
  const outputs = outputsIn(text, isCut);
  if (outputs === undefined) return <Block text={text} label={`${label}, stored`} />;
  const whole = outputs.filter(({ isBytes }) => !isBytes || !isCut);
  return whole.length < outputs.length ? (
    <p>It begins with bytes that are not text.</p>
  ) : (
    <Outputs outputs={outputs} of=", stored" />
  );
}

/** The output of a program, stream by stream. `of` tells apart what is on the same page: no two labels are the same. */
export function Outputs({ outputs, of = '' }: { outputs: readonly PrintedOutput[]; of?: string }) {
  return (
    <>
      {outputs.map(({ name, text, isBytes }) => (
        <>
          <h4>{name}</h4>
          {isBytes ? <Bytes base64={text} name="stdout" /> : <Block text={text} label={`${name}${of}`} />}
        </>
      ))}
    </>
  );
}
