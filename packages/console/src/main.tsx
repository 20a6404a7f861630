// First, so that the daemon answers while the rest of the code starts.
import './session/start.ts';
import { render } from 'preact';
import { App } from './app/app.tsx';

render(<App />, document.body);
