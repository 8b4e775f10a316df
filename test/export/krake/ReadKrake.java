import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Inflater;

/**
 * Reads the four files of Krake in a folder, by nothing but DataInputStream and Inflater, and prints a line for each node:
 * NodeID, key, in-links, out-links, and the source in hex where there is one.
 */
public class ReadKrake {
  public static void main(String[] args) throws Exception {
    Map<Long, String> sources = new HashMap<>();
    try (DataInputStream in = open(args[0], "content.bin")) {
      long offset = 0;
      for (int size; (size = nextInt(in)) >= 0; offset += 8L + size) {
        byte[] compressed = new byte[size];
        in.readFully(compressed);
        check(in.readInt() == size, "the second size");
        sources.put(offset, hex(inflate(compressed)));
      }
    }
    Map<Integer, String> pages = new TreeMap<>();
    try (DataInputStream in = open(args[0], "offsets.bin")) {
      for (int node; (node = nextInt(in)) >= 0;) {
        String source = sources.remove(in.readLong());
        check(source != null, "an offset that leads to a page");
        pages.put(node, source);
      }
    }
    check(sources.isEmpty(), "an offset for each page");
    try (DataInputStream keys = open(args[0], "urls.bin"); DataInputStream graph = open(args[0], "graph.bin")) {
      int count = keys.readInt();
      check(graph.readInt() == count, "as many nodes as keys");
      for (int node = 0; node < count; node++) {
        byte[] key = new byte[20];
        keys.readFully(key);
        int edges = graph.readInt();
        int inLinks = graph.readInt();
        String in = ids(graph, inLinks);
        String out = ids(graph, edges - inLinks);
        System.out.println(node + " " + hex(key) + " in:" + in + " out:" + out + " " + pages.getOrDefault(node, "-"));
      }
      check(keys.read() < 0 && graph.read() < 0, "nothing more");
    }
  }

  static DataInputStream open(String folder, String name) throws Exception {
    return new DataInputStream(new BufferedInputStream(new FileInputStream(folder + "/" + name)));
  }

  static int nextInt(DataInputStream in) throws Exception {
    try {
      return in.readInt();
    } catch (EOFException end) {
      return -1;
    }
  }

  static byte[] inflate(byte[] compressed) throws Exception {
    Inflater inflater = new Inflater();
    inflater.setInput(compressed);
    byte[] out = new byte[0];
    byte[] piece = new byte[65536];
    while (!inflater.finished()) {
      int n = inflater.inflate(piece);
      byte[] longer = java.util.Arrays.copyOf(out, out.length + n);
      System.arraycopy(piece, 0, longer, out.length, n);
      out = longer;
    }
    check(inflater.getRemaining() == 0, "nothing behind the source");
    return out;
  }

  static String ids(DataInputStream in, int count) throws Exception {
    StringBuilder ids = new StringBuilder();
    for (int i = 0; i < count; i++) ids.append(i == 0 ? "" : ",").append(in.readInt());
    return ids.toString();
  }

  static String hex(byte[] bytes) {
    StringBuilder hex = new StringBuilder();
    for (byte each : bytes) hex.append(String.format("%02x", each));
    return hex.toString();
  }

  static void check(boolean holds, String what) {
    if (!holds) throw new IllegalStateException("expected " + what);
  }
}
