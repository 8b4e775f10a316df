# Reads an exported graph with a program that others wrote, and prints JSON: nodes, edges, and PageRank by key.
# Arguments: reader, folder, damping.
import gzip, json, sys

reader, folder, damping = sys.argv[1], sys.argv[2], float(sys.argv[3])


def vertices():
    with gzip.open(folder + '/vertices.txt.gz', 'rt') as lines:
        return [line.rstrip('\n').split('\t')[1] for line in lines]


def edges():
    with gzip.open(folder + '/edges.txt.gz', 'rt') as lines:
        return [tuple(map(int, line.split('\t'))) for line in lines]


if reader == 'igraph':
    import igraph

    keys = vertices()
    graph = igraph.Graph(n=len(keys), edges=edges(), directed=True)
    ranks = graph.pagerank(damping=damping)
    print(json.dumps({'nodes': graph.vcount(), 'edges': graph.ecount(), 'ranks': dict(zip(keys, ranks))}))
elif reader == 'networkx':
    import networkx

    keys = vertices()
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(keys)))
    graph.add_edges_from(edges())
    ranks = networkx.pagerank(graph, alpha=damping, tol=1e-13, max_iter=1000)
    print(json.dumps({'nodes': len(graph), 'edges': graph.size(), 'ranks': {keys[n]: r for n, r in ranks.items()}}))
elif reader == 'networkx-graphml':
    import networkx

    graph = networkx.read_graphml(folder)
    print(json.dumps({'nodes': len(graph), 'edges': graph.size()}))
elif reader == 'duckdb':
    import duckdb

    nodes = duckdb.sql(f"select count(*), max(id) + 1 from '{folder}/nodes.parquet'").fetchall()[0]
    count = duckdb.sql(
        f"select count(*) from '{folder}/edges.parquet' e join '{folder}/nodes.parquet' s on s.id = e.src join '{folder}/nodes.parquet' d on d.id = e.dst"
    ).fetchall()[0]
    assert nodes[0] == nodes[1]
    print(json.dumps({'nodes': nodes[0], 'edges': count[0]}))
