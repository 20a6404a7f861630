import { startSession } from './session.ts';

void startSession();
