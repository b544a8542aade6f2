// SPDX-License-Identifier: Apache-2.0
import java.util.*;
import java.util.concurrent.*;

/** Virtual threads with and without names, one of them pinned, and a heap that ZGC cannot free fast enough:
 *  java -XX:+UseZGC -Xmx64m -XX:StartFlightRecording=settings=profile,filename=tasks.jfr Tasks
public class Tasks {
    static final Deque<byte[]> KEPT = new ArrayDeque<>();

    static class Slow {
        static int value = 1;
        static { rest(60); }
    }

    static void rest(int ms) {
        try { Thread.sleep(ms); } catch (InterruptedException e) { throw new IllegalStateException(e); }
    }

    static void fill(long until) {
        while (System.nanoTime() < until) {
            KEPT.add(new byte[30_000]);
            if (KEPT.size() > 1_000) KEPT.poll();
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + 2_000_000_000L;
        Thread filler = new Thread(() -> fill(until), "filler");
        filler.start();
        Thread named = Thread.ofVirtual().name("named").start(() -> rest(50));
        try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 40; i++) tasks.submit(() -> { rest(30); return Slow.value; });
        }
        named.join();
        filler.join();
    }
}
