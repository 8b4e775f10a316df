import { readPart, type Attributes, type Collector } from './part-reader.js';
import { resolvePart, type PackageParts } from './package-parts.js';

interface Relation {
  /** The last segment of the type of the relation, such as `hyperlink`. */
  readonly type: string;
  /** The name of the target part. If the target is outside the package, the reference as written. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** The relations of a part, by id. @param part the name of the part; empty: the relations of the whole package */
export function relationsOf(parts: PackageParts, part: string, into: Collector): ReadonlyMap<string, Relation> {
  const slash = part.lastIndexOf('/') + 1;
  const xml = parts.readOptional(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
  const relations = new Map<string, Relation>();
  if (xml === undefined) return relations;
  const open = (name: string, attributes: Attributes): void => {
    const [id, type, target] = ['id', 'type', 'target'].map((attribute) => attributes.get(attribute));
    if (name !== 'relationship' || id === undefined || type === undefined || target === undefined) return;
    const isExternal = attributes.get('targetmode')?.toLowerCase() === 'external';
    const resolved = isExternal ? target : resolvePart(target, part);
    if (resolved !== undefined)
      relations.set(id, { type: type.slice(type.lastIndexOf('/') + 1), target: resolved, isExternal });
  };
  readPart(xml, { open, text: () => undefined, close: () => undefined }, into);
  return relations;
}

/** Returns the names of the parts to which relations of these types point, each once. The order is that of `types`. */
export function partsOf(relations: ReadonlyMap<string, Relation>, ...types: readonly string[]): string[] {
  const inside = [...relations.values()].filter(({ isExternal }) => !isExternal);
  return [...new Set(types.flatMap((each) => inside.filter(({ type }) => type === each).map(({ target }) => target)))];
}

/** The reference of a relation whose target is outside the package. Undefined: there is no such relation. */
export function externalOf(relations: ReadonlyMap<string, Relation>, id: string | undefined): string | undefined {
  const relation = id === undefined ? undefined : relations.get(id);
  return relation?.isExternal ? relation.target : undefined;
}
