import { askPerson, type Chosen } from './ask-person';

/** Asks a person at a terminal for a line of text; `standard` is taken where none is given. */
export function askText(question: string, standard: string): Promise<Chosen> {
  return askPerson<string>(async ({ text }) => {
    const answer = await text({
      message: question,
      ...(standard !== '' && { placeholder: standard, defaultValue: standard }),
      output: process.stderr,
    });
    // Without a word typed and without a standard it gives nothing at all.
    return typeof answer === 'symbol' ? answer : (answer ?? '').trim();
  });
}
