import java.io.IOException;
import java.util.Arrays;

/**
 * Runs the main method of the class in the first argument, with the other arguments, until the standard input ends. The input
 * ends when the process that started this one is gone, for whatever reason, so no process is left behind.
 */
public final class RunUntilInputEnds {
  public static void main(String[] args) throws Exception {
    Thread watch = new Thread(() -> {
      try {
        while (System.in.read() >= 0) {
          // Input is ignored.
        }
      } catch (IOException error) {
        // The input has ended, too.
      }
      Runtime.getRuntime().halt(1);
    });
    watch.setDaemon(true);
    watch.start();
    Object rest = Arrays.copyOfRange(args, 1, args.length);
    Class.forName(args[0]).getMethod("main", String[].class).invoke(null, rest);
  }
}
