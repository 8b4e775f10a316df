import it.unimi.dsi.webgraph.BVGraph;
import it.unimi.dsi.webgraph.ImmutableGraph;
import it.unimi.dsi.webgraph.LazyIntIterator;

/** Prints nodes and arcs of a graph of WebGraph, and then the successors of each node. Argument: its name. */
public class ReadWebGraph {
  public static void main(String[] args) throws Exception {
    ImmutableGraph graph = BVGraph.load(args[0]);
    System.out.println(graph.numNodes() + " " + graph.numArcs());
    for (int node = 0; node < graph.numNodes(); node++) {
      LazyIntIterator successors = graph.successors(node);
      for (int to = successors.nextInt(); to >= 0; to = successors.nextInt()) System.out.println(node + "\t" + to);
    }
  }
}
