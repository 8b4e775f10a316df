import org.codelibs.opensearch.runner.OpenSearchRunner;
import org.opensearch.http.HttpServerTransport;

/** Runs a single node on loopback, at a free port that it prints, until its standard input ends. Argument: a folder for its data. */
public class RunOpenSearch {
  public static void main(String[] arguments) throws Exception {
    OpenSearchRunner runner = new OpenSearchRunner();
    runner.onBuild((number, settings) -> {
      settings.put("discovery.type", "single-node");
      settings.put("network.host", "127.0.0.1");
      settings.put("http.port", "0");
      settings.put("transport.port", "0");
      // The tests must not depend on the free space of the disk.
      settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
    });
    runner.build(OpenSearchRunner.newConfigs().clusterName("webcrawl").numOfNode(1).basePath(arguments[0]));
    runner.ensureYellow();
    int port = runner.getNode(0).injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
    System.out.println("listening on port " + port);
    while (System.in.read() != -1) continue;
    runner.close();
    System.exit(0);
  }
}
