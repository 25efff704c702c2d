import type { Scene } from './scene';
import type { Snapshot, TranscriptAsk, TranscriptFacts } from './snapshot';

const UNNAMED = {
  kind: 'unread',
  why: 'is not named by the event, or not of a kind that is understood',
} as const;

/** What the guards ask of the transcript and is not known yet. */
export function readTranscript(
  { chunks, event }: Scene,
  { transcript: known }: Snapshot,
  asked: TranscriptAsk,
): Pick<Snapshot, 'transcript'> {
  const lastText = known?.lastText === undefined && asked.lastText === true;
  const tokensFrom = known?.tokens === undefined ? asked.tokensFrom : undefined;
  if (!lastText && tokensFrom === undefined) return {};
  const ask = { lastText, ...(tokensFrom !== undefined && { tokensFrom }) };
  const { host, transcriptPath: path } = event;
  const read = host === 'claude-code' ? chunks.transcriptFacts : chunks.host(host).transcriptFacts;
  const facts = path === undefined || read === undefined ? nothingKnown(ask) : read(path, ask, event.raw);
  return { transcript: { ...known, ...facts } };
}

function nothingKnown({ lastText, tokensFrom }: TranscriptAsk): TranscriptFacts {
  return {
    ...(lastText === true && { lastText: UNNAMED }),
    ...(tokensFrom !== undefined && { tokens: { used: 0, until: tokensFrom } }),
  };
}
