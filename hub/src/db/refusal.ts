/** Something cannot be done; the message is a sentence for the person who asked. */
export class Refusal extends Error {}
