// The same tests once more with the way in which every Node that we do not know starts programs.
import { startAllByModule } from './run-rig';

startAllByModule();
await import('./run.test');
await import('./run-output.test');
await import('./run-group.test');
await import('./run-signals.test');
await import('./guardian.test');
