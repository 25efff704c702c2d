import { startModel } from '../../src/cli/try/client/scripted-model';
import type { StartModel } from './model-server';

/** Anthropic's messages API, for the clients that can be told to ask it. */
export const anthropic: StartModel = (answer) => startModel(({ news }) => answer(news));
