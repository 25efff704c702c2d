import type { StartProgram } from './child';
import { isKnownToStart } from './known-to-start';
import { startByBinding } from './start-by-binding';
import { startByModule } from './start-by-module';

/** Starts a program, in the quick way wherever that is known to do. */
export const startProgram: StartProgram = (order) => quickly(order) ?? startByModule(order);

const quickly = (order: Parameters<StartProgram>[0]): ReturnType<typeof startByBinding> => {
  if (!isKnownToStart(process.version)) return undefined;
  try {
    return startByBinding(order);
  } catch {
    // Whoever has forbidden the bindings still has the module.
    return undefined;
  }
};
