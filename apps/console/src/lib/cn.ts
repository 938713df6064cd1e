import { type ClassValue, clsx } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

// Otherwise tailwind-merge takes our font sizes for text colours.
const merge = extendTailwindMerge({
  extend: {
    classGroups: { 'font-size': [{ text: ['small', 'body', 'title', 'heading', 'display'] }] },
  },
});

/** Joins class names; of two for the same property the last one wins. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
