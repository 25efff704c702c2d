import type { Needs, TranscriptAsk } from './snapshot';

/** What several guards ask for, as one question. Where there can be one answer only, the first asker's counts. */
export function joinedNeeds(needs: readonly Needs[]): Needs {
  const [first] = needs;
  if (first !== undefined && needs.length === 1) return first;
  const command = needs.find((one) => one.command !== undefined)?.command;
  const effects = needs.find((one) => one.effects !== undefined)?.effects;
  return {
    documents: needs.flatMap((one) => one.documents ?? []),
    files: needs.flatMap((one) => one.files ?? []),
    env: needs.flatMap((one) => one.env ?? []),
    sessions: needs.some((one) => one.sessions === true),
    ...(command !== undefined && { command }),
    ...(effects !== undefined && { effects }),
    ...transcriptAsk(needs),
  };
}

function transcriptAsk(needs: readonly Needs[]): Pick<Needs, 'transcript'> {
  const asks = needs.flatMap(({ transcript }): TranscriptAsk[] =>
    transcript === undefined ? [] : [transcript],
  );
  if (asks.length === 0) return {};
  const lastText = asks.some((ask) => ask.lastText === true);
  const tokensFrom = asks.find((ask) => ask.tokensFrom !== undefined)?.tokensFrom;
  return { transcript: { lastText, ...(tokensFrom !== undefined && { tokensFrom }) } };
}
