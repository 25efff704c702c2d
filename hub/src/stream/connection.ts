/** How many bytes may wait for a reader. */
const mostWaiting = 1024 * 1024;

/** One event in wire format. */
export function eventOf(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** One open stream. A reader that is too slow is dropped: it reconnects and reads the lists. */
export class Connection {
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #ended: () => void;
  readonly #drop: () => void;

  /** `ended` is called once, however it ends; `drop` cuts the connection and discards what waits in it. */
  constructor(ended: () => void, drop: () => void) {
    this.#ended = ended;
    this.#drop = drop;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#forget(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
    );
  }

  send(text: string): void {
    const controller = this.#controller;
    if (!controller) return;
    controller.enqueue(Buffer.from(text));
    if ((controller.desiredSize ?? 0) > 0) return;
    this.#forget();
    this.#drop();
  }

  end(): void {
    const controller = this.#controller;
    if (!controller) return;
    this.#forget();
    controller.close();
  }

  #forget(): void {
    if (!this.#controller) return;
    this.#controller = undefined;
    this.#ended();
  }
}
