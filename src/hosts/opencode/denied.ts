/** The one thing that may be thrown into the host: it refuses the call, and the agent reads the message. */
export class Denied extends Error {
  override readonly name = 'Error';
}

type Hook<A extends readonly unknown[]> = (...args: A) => Promise<void>;

/** Makes a hook from which nothing escapes but a refusal. */
export function guarded(report: (error: unknown) => void) {
  return <A extends readonly unknown[]>(hook: Hook<A>): Hook<A> =>
    async (...args) => {
      try {
        await hook(...args);
      } catch (error) {
        if (error instanceof Denied) throw error;
        report(error);
      }
    };
}
