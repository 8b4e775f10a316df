import java.io.IOException;
import java.util.Arrays;

/**
 * Runs the main method of the class that the first argument names, with the other arguments, until the standard input ends. That it
 * does when the process is gone that started this one, however that ended; so nothing is ever left behind.
 */
public final class RunUntilInputEnds {
  public static void main(String[] args) throws Exception {
    Thread watch = new Thread(() -> {
      try {
        while (System.in.read() >= 0) {
          // Nobody says anything.
        }
      } catch (IOException error) {
        // It has ended too.
      }
      Runtime.getRuntime().halt(1);
    });
    watch.setDaemon(true);
    watch.start();
    Object rest = Arrays.copyOfRange(args, 1, args.length);
    Class.forName(args[0]).getMethod("main", String[].class).invoke(null, rest);
  }
}
