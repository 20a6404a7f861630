import { useState } from 'preact/hooks';
import { Page } from '../part/page.tsx';
import { Failure } from '../part/shown.tsx';
import { signIn } from './session.ts';

/** The page for a person without a session. */
export function SignIn({ why }: { why?: unknown }) {
  const [code, setCode] = useState('');
  return (
    <main class="sign-in">
      <Page
        title="Sign in"
        lead="The console shows what agents ran with Ambit, what was refused, and what waits for your approval."
      >
        {typeof why === 'string' ? <p>{why}</p> : why !== undefined && <Failure error={why} />}
        <p>
          On the daemon's machine, run <code>ambit console</code> in the folder where you use Ambit. Open the
          address that it prints within 60 seconds. It works once.
        </p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void signIn(codeIn(code));
          }}
        >
          <label>
            Or paste the address or its code
            <input
              name="code"
              autocomplete="off"
              required
              value={code}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="primary">
            Sign in
          </button>
        </form>
      </Page>
    </main>
  );
}

function codeIn(text: string): string {
  return /code=([\w-]+)/.exec(text)?.[1] ?? text.trim();
}
