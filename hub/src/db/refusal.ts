/** Something that cannot be done, in a sentence for the person who asked. */
export class Refusal extends Error {}
