import { bundleBuilt } from './bundle.ts';

// The programs that these tests start run the bundle if it is current, and start much slower from the sources.
await bundleBuilt();
