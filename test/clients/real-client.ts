import type { Rig } from '../e2e/rig';
import type { StartModel } from './model-server';
import type { Program } from './program';
import type { Call } from './scripted-model';

/** One prompt for a real client. */
export interface Errand {
  readonly rig: Rig;
  readonly modelUrl: string;
  readonly prompt: string;
}

/** A real client, as far as all of them are alike. */
export interface RealClient {
  /** As `holdpoint install --host` has it. */
  readonly host: string;
  readonly title: string;
  readonly startModel: StartModel;
  /** A call of the tool that runs a command line. */
  shell(command: string): Call;
  /** A call of the tool that makes a file in the repository. */
  write(rig: Rig, name: string, content: string): Call;
  /** Writes what the client has in its home before we are installed there. */
  prepare?(rig: Rig): void;
  /** Writes settings that name the model, and tells the client's command line. */
  start(errand: Errand): Pick<Program, 'path' | 'args' | 'env'>;
  /** The arguments with which the same prompt goes on with the last session. */
  resuming(args: readonly string[]): readonly string[];
}
