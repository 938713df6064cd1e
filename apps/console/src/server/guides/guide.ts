/** A part of a guide, rendered by the build. HTML comes from the repository's own Markdown. */
export type GuideBlock =
  | { kind: 'heading'; id: string; depth: number; html: string }
  | { kind: 'text'; html: string }
  | { kind: 'table'; html: string }
  | { kind: 'code'; language: string; code: string };

/** What a search looks through: a heading and the text below it. The first is the guide itself. */
export interface GuideSection {
  /** Empty for the beginning of the guide. */
  id: string;
  title: string;
  depth: number;
  text: string;
}

export interface Guide {
  slug: string;
  title: string;
  summary: string;
  /** It shows how to protect a host of one framework. */
  isFramework: boolean;
  sections: GuideSection[];
  blocks: GuideBlock[];
}

export interface GuideGroup {
  group: string;
  guides: Guide[];
}
