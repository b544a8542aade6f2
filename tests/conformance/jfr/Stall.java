// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.locks.*;

/** Two seconds of every kind of event that a recording has stacks for: java Stall. */
public class Stall {
    static final List<byte[]> KEPT = new ArrayList<>();
    static final Object TILL = new Object();
    static long sink;

    static long weigh(int n) { long sum = 0; for (int i = 0; i < n; i++) sum += Integer.toString(i).hashCode() % 7; return sum; }

    static void sell() {
        Map<String, int[]> sold = new TreeMap<>();
        for (int i = 0; i < 20_000; i++) sold.computeIfAbsent("cart " + i % 997, name -> new int[64])[i % 64]++;
        sink += sold.size() + weigh(100_000);
        KEPT.add(new byte[40_000]);
    }

    static void queue() throws Exception {
        synchronized (TILL) { Thread.sleep(25); TILL.wait(15); }
    }

    static void park() { LockSupport.parkNanos(TILL, 30_000_000); }

    static void files(Path file) throws Exception {
        Files.write(file, new byte[5_000_000]);
        try (FileInputStream in = new FileInputStream(file.toFile())) { sink += in.readAllBytes().length; }
    }

    static void sockets() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread client = new Thread(() -> {
                try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    Thread.sleep(40);
                    socket.getOutputStream().write(new byte[100_000]);
                } catch (Exception e) { throw new RuntimeException(e); }
            }, "client");
            client.start();
            try (Socket socket = server.accept()) { sink += socket.getInputStream().readAllBytes().length; }
            client.join();
        }
    }

    static void fail(int depth) { if (depth > 0) fail(depth - 1); else throw new IllegalStateException("sold out"); }

    interface Work { void run() throws Exception; }

    static Thread start(String name, long until, Work work) {
        Thread thread = new Thread(() -> {
            try { while (System.nanoTime() < until) work.run(); } catch (Exception e) { throw new RuntimeException(e); }
        }, name);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + (long) (2e9 * (args.length > 0 ? Double.parseDouble(args[0]) : 1));
        Path file = Files.createTempFile("stall", ".bin");
        List<Thread> all = List.of(start("seller-1", until, Stall::sell), start("продавец", until, Stall::sell),
            start("queue-1", until, Stall::queue), start("queue-2", until, Stall::queue), start("park", until, Stall::park),
            start("files", until, () -> files(file)), start("sockets", until, Stall::sockets),
            start("failing", until, () -> { try { fail(100); } catch (IllegalStateException e) { Thread.sleep(20); } }));
        for (Thread each : all) { each.join(); System.gc(); }
        Files.delete(file);
        System.out.println(sink);
    }
}
